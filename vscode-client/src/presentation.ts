/** Matches and states as the short texts that pickers, trees, status bar and screen readers show. */

import {
  SOURCES,
  type LookUp,
  type Match,
  type Problem,
  type SourceName,
  type Status,
  type StoreStatus,
} from "./protocol";

export const ICONS: Readonly<Record<SourceName, string>> = {
  memory: "lightbulb",
  wiki: "book",
  board: "comment-discussion",
  contracts: "checklist",
  knowledge: "library",
};

const UNITS: Readonly<Record<SourceName, readonly [one: string, several: string]>> = {
  memory: ["fact", "facts"],
  wiki: ["page", "pages"],
  board: ["post", "posts"],
  contracts: ["unit-work", "unit-works"],
  knowledge: ["item", "items"],
};

const PROBLEMS_SHOWN = 3;

/** `archive · SUCCESS · docs/plan.md:12`: what a match is worth and where it stands. */
export function describe(match: Match): string {
  return [...match.provenance, match.place].join(" · ");
}

/** A match in one sentence for somebody who hears it. */
export function spoken(match: Match): string {
  return `${match.source}: ${match.text}. ${[...match.provenance, match.place].join(", ")}`;
}

/** Text of which nothing becomes a link where VS Code turns Markdown links of a message into links that run commands. */
export function withoutLinks(text: string): string {
  return text.replaceAll("](", "] (");
}

/** Text of which nothing becomes an icon where VS Code draws `$(name)` as one. */
export function withoutIcons(text: string): string {
  return text.replace(/\$\((?=[\w~-]+\))/gu, "\\$(");
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The matches of an answer by their sources, in the answer's order. */
export function bySource(matches: readonly Match[]): Map<SourceName, Match[]> {
  const groups = new Map<SourceName, Match[]>();
  for (const match of matches) {
    const group = groups.get(match.source) ?? [];
    group.push(match);
    groups.set(match.source, group);
  }
  return groups;
}

/** What an answer without matches means: "nothing known" is said only after a complete search. */
export function nothingFound(answer: LookUp): string {
  const searched = SOURCES.filter((name) => (answer.sources[name]?.status ?? "absent") !== "absent");
  if (searched.length === 0) {
    return "There is no store here to search";
  }
  return answer.status === "complete"
    ? `Nothing known about “${answer.query}” in ${searched.join(", ")}`
    : `Nothing found about “${answer.query}” in what could be read`;
}

/** One line for each source that could not be searched completely. */
export function gaps(answer: LookUp): string[] {
  return SOURCES.flatMap((name) => {
    const report = answer.sources[name];
    if (report === undefined || (report.status !== "incomplete" && report.status !== "failed")) {
      return [];
    }
    const [first, ...rest] = report.problems;
    const more = rest.length > 0 ? `, and ${String(rest.length)} more` : "";
    return [
      `${name} ${report.status}: ${first === undefined ? "unknown reason" : problemText(first)}${more}`,
    ];
  });
}

/** The file's name and the reason. */
export function problemText(problem: Problem): string {
  const name = problem.path.split(/[\\/]/u).pop() ?? "";
  return name === "" ? problem.reason : `${name}: ${problem.reason}`;
}

/** What the client knows of its server. */
export type ServerState =
  | { readonly kind: "starting" | "running" | "stopped" }
  | { readonly kind: "installing"; readonly step: string }
  | { readonly kind: "failed"; readonly reason: string };

export interface StatusBarText {
  /** With icons; undefined where nothing is worth a place in the bar. */
  readonly text: string | undefined;
  /** One line for each fact, for a tooltip. */
  readonly lines: readonly string[];
  readonly severity: "none" | "warning" | "error";
}

/** The status bar's entry: how much there is to know, and what stands in the way. */
export function statusBarText(
  state: ServerState,
  status: Status | undefined,
  indexing: ReadonlyMap<string, number>,
): StatusBarText {
  switch (state.kind) {
    case "starting":
      return { text: "$(sync~spin) Prior Art", lines: ["Starting the server"], severity: "none" };
    case "installing":
      return { text: "$(sync~spin) Prior Art", lines: [state.step], severity: "none" };
    case "stopped":
      return { text: "$(error) Prior Art", lines: ["The server is not running"], severity: "error" };
    case "failed":
      return { text: "$(error) Prior Art", lines: [state.reason], severity: "error" };
    case "running":
      return runningText(status, indexing);
  }
}

function runningText(status: Status | undefined, indexing: ReadonlyMap<string, number>): StatusBarText {
  if (status === undefined && indexing.size === 0) {
    return { text: "$(sync~spin) Prior Art", lines: ["Reading the stores"], severity: "none" };
  }
  const stores = (status?.roots ?? []).flatMap(({ root, sources }) =>
    SOURCES.map((name) => ({ root, name, store: sources[name] })).filter(
      ({ store }) => store.status !== "absent",
    ),
  );
  if (stores.length === 0 && indexing.size === 0) {
    return { text: undefined, lines: ["No store in this workspace"], severity: "none" };
  }
  const several = new Set(stores.map(({ root }) => root)).size > 1;
  const lines = stores.flatMap(({ root, name, store }) => [
    `${several ? `${root.split(/[\\/]/u).pop() ?? root} ` : ""}${name}: ${storeText(name, store)}`,
    ...store.problems.slice(0, PROBLEMS_SHOWN).map((problem) => `⚠ ${problemText(problem)}`),
    ...(store.problems.length > PROBLEMS_SHOWN
      ? [`⚠ ${String(store.problems.length - PROBLEMS_SHOWN)} more`]
      : []),
  ]);
  if (indexing.size > 0) {
    const percentage = Math.min(...indexing.values());
    const line = `Indexing, ${String(percentage)} %: answers come from what is read so far`;
    return { text: `$(sync~spin) ${String(percentage)} %`, lines: [line, ...lines], severity: "none" };
  }
  const count = stores.reduce((sum, { store }) => sum + store.documents, 0);
  const isIncomplete = stores.some(({ store }) => store.status !== "complete");
  return {
    text: `${isIncomplete ? "$(warning)" : "$(book)"} ${String(count)}`,
    lines,
    severity: isIncomplete ? "warning" : "none",
  };
}

function storeText(name: SourceName, store: StoreStatus): string {
  const count = `${String(store.documents)} ${UNITS[name][store.documents === 1 ? 0 : 1]}`;
  return store.status === "complete" ? count : `${count}, ${store.status}`;
}

const NAME_CHARACTERS = 40;

/** A page's title as the name of a Markdown file on every system. */
export function pageName(title: string): string {
  const words = title.replace(/[^\p{Letter}\p{Mark}\p{Number}._-]+/gu, " ").trim();
  return `${Array.from(words).slice(0, NAME_CHARACTERS).join("").trim()}.md`;
}

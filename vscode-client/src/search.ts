/** The search: a list that follows every letter typed, over all sources or ranked for a plan or a question. */

import * as vscode from "vscode";

import { insertMatch, openMatch, copyText } from "./matchActions";
import type { Reporting } from "./messages";
import { bySource, capitalized, describe, gaps, ICONS, nothingFound, withoutIcons } from "./presentation";
import { Preview } from "./preview";
import {
  SOURCES,
  type About,
  type LookUp,
  type LookUpOptions,
  type Match,
  type Search,
  type SourceName,
} from "./protocol";
import { MAX_QUERY_CHARACTERS, parseQuery } from "./query";
import type { Server } from "./server";

const TYPING_MILLISECONDS = 80;

const TITLES: Readonly<Record<About, string>> = {
  everything: "Search Prior Art",
  contracts: "Find Contracts for a Plan",
  knowledge: "Ask Published Knowledge",
};
const PLACEHOLDERS: Readonly<Record<About, string>> = {
  everything: "A code, a name or a phrase. “wiki: …” or “wiki, board: …” looks in these alone",
  contracts: "What the unit should do in words, a tag, or a work-plan id",
  knowledge: "A question in words",
};

const COPY_BUTTON: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("copy"), tooltip: "Copy" };
const INSERT_BUTTON: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("insert"),
  tooltip: "Insert at the Cursor",
};
const ASIDE_BUTTON: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("split-horizontal"),
  tooltip: "Open to the Side",
};
const FILTER_BUTTON: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("filter"),
  tooltip: "Choose the Sources",
};
const PAGE_BUTTON: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("open-preview"),
  tooltip: "Show All as a Page",
};

/** A row of the list: a match, or something to be told that leads on. */
interface Row extends vscode.QuickPickItem {
  readonly match?: Match;
  readonly command?: "page" | "status";
}

export interface SearchOptions {
  readonly about: About;
  /** What stands in the box at first. */
  readonly typed: string;
  /** Told when a search ends, by choosing or by leaving. */
  readonly onSearch: (search: Search) => void;
  readonly showPage: (asked: LookUpOptions) => Promise<void>;
  readonly showStatus: () => Promise<void>;
  readonly reporting: Reporting;
}

/** Open the list and let it work until it is left. */
export function openSearch(server: Server, { reporting, ...options }: SearchOptions): void {
  const pick = vscode.window.createQuickPick<Row>() as vscode.QuickPick<Row> & { sortByLabel?: boolean };
  // The server has ordered them; without this the list would put those first whose label holds what was typed.
  pick.sortByLabel = false;
  pick.title = TITLES[options.about];
  pick.placeholder = PLACEHOLDERS[options.about];
  pick.value = options.typed;
  pick.buttons = options.about === "everything" ? [FILTER_BUTTON, PAGE_BUTTON] : [PAGE_BUTTON];
  pick.keepScrollPosition = true;

  const document = documentUri();
  const preview = new Preview();
  let asking: vscode.CancellationTokenSource | undefined;
  let typing: NodeJS.Timeout | undefined;
  let last: Search | undefined;
  let chosenSources: readonly SourceName[] | undefined;
  let isChoosingSources = false;

  const question = (): LookUpOptions => {
    const { about } = options;
    if (about !== "everything") {
      return { query: pick.value.trim(), about, ...document };
    }
    const { query, sources = chosenSources } = parseQuery(pick.value);
    return { query, about, ...(sources === undefined ? {} : { source: sources }), ...document };
  };
  const search = async (): Promise<void> => {
    asking?.cancel();
    const asked = question();
    const { query } = asked;
    if (query === "") {
      pick.items = [];
      pick.busy = false;
      return;
    }
    if (Array.from(query).length > MAX_QUERY_CHARACTERS) {
      pick.items = [
        told(`At most ${String(MAX_QUERY_CHARACTERS)} characters are searched; shorten the query`, "info"),
      ];
      return;
    }
    const current = (asking = new vscode.CancellationTokenSource());
    pick.busy = true;
    try {
      const answer = await server.lookUp(asked, current.token);
      if (!current.token.isCancellationRequested) {
        last = { asked, answer };
        pick.items = rows(answer);
      }
    } catch (error) {
      if (!current.token.isCancellationRequested) {
        pick.items = [told(error instanceof Error ? error.message : String(error), "error")];
      }
    } finally {
      if (asking === current) {
        pick.busy = false;
      }
      current.dispose();
    }
  };
  const searchSoon = (): void => {
    clearTimeout(typing);
    typing = setTimeout(() => void search(), TYPING_MILLISECONDS);
  };
  const leave = (): void => {
    preview.keep();
    pick.hide();
  };
  const open = async (match: Match, show: vscode.TextDocumentShowOptions): Promise<void> => {
    leave();
    const { document } = await openMatch(match, show);
    await preview.closeShown(document.uri);
  };
  const page = async (): Promise<void> => {
    const asked = question();
    if (asked.query !== "") {
      leave();
      await preview.closeShown();
      await options.showPage(asked);
    }
  };

  pick.onDidChangeValue(searchSoon);
  pick.onDidChangeActive(([row]) => {
    preview.show(row?.match);
  });
  pick.onDidAccept(
    reporting(async () => {
      const row = pick.selectedItems[0];
      if (row?.match !== undefined) {
        await open(row.match, { preview: false });
      } else if (row?.command === "page") {
        await page();
      } else if (row?.command === "status") {
        leave();
        await preview.closeShown();
        await options.showStatus();
      }
    }),
  );
  pick.onDidTriggerItemButton(
    reporting(async ({ item: { match }, button }: vscode.QuickPickItemButtonEvent<Row>) => {
      if (match === undefined) {
        return;
      }
      if (button === COPY_BUTTON) {
        await copyText(match.copy);
      } else if (button === INSERT_BUTTON) {
        await preview.restore();
        leave();
        await insertMatch(server, { match, query: last?.answer.query ?? "" });
      } else {
        await open(match, { viewColumn: vscode.ViewColumn.Beside, preview: false });
      }
    }),
  );
  pick.onDidTriggerButton(
    reporting(async (button: vscode.QuickInputButton) => {
      if (button === PAGE_BUTTON) {
        await page();
        return;
      }
      // The list of sources takes this one's place for a while.
      isChoosingSources = true;
      chosenSources = (await chooseSources(chosenSources)) ?? chosenSources;
      isChoosingSources = false;
      pick.title =
        chosenSources === undefined
          ? TITLES.everything
          : `${TITLES.everything} in ${chosenSources.join(", ")}`;
      pick.show();
      await search();
    }),
  );
  pick.onDidHide(
    reporting(async () => {
      if (isChoosingSources) {
        return;
      }
      clearTimeout(typing);
      asking?.cancel();
      pick.dispose();
      if (last !== undefined) {
        options.onSearch(last);
      }
      await preview.restore();
    }),
  );
  pick.show();
  searchSoon();
}

function rows(answer: LookUp): Row[] {
  const found: Row[] = [];
  for (const [source, matches] of bySource(answer.matches)) {
    const count = answer.sources[source]?.total_count ?? matches.length;
    const more = count > matches.length ? ` · ${String(matches.length)} of ${String(count)}` : "";
    found.push({ label: `${capitalized(source)}${more}`, kind: vscode.QuickPickItemKind.Separator });
    found.push(...matches.map(matchRow));
  }
  const notes = gaps(answer).map((gap): Row => ({ ...told(gap, "warning"), command: "status" }));
  if (answer.matches.length === 0) {
    return [told(nothingFound(answer), "info"), ...notes];
  }
  const all: Row = {
    ...told(`Show ${String(answer.total_count)} as a page`, "open-preview"),
    command: "page",
  };
  return [...found, { label: "", kind: vscode.QuickPickItemKind.Separator }, ...notes, all];
}

function matchRow(match: Match): Row {
  return {
    match,
    label: withoutIcons(match.text),
    description: withoutIcons(describe(match)),
    iconPath: new vscode.ThemeIcon(ICONS[match.source]),
    buttons: [COPY_BUTTON, INSERT_BUTTON, ASIDE_BUTTON],
    alwaysShow: true,
  };
}

function told(text: string, icon: string): Row {
  return { label: withoutIcons(text), iconPath: new vscode.ThemeIcon(icon), alwaysShow: true };
}

async function chooseSources(
  chosen: readonly SourceName[] | undefined,
): Promise<readonly SourceName[] | undefined> {
  const items = SOURCES.map((source) => ({
    label: capitalized(source),
    iconPath: new vscode.ThemeIcon(ICONS[source]),
    picked: chosen === undefined || chosen.includes(source),
    source,
  }));
  const picked = await vscode.window.showQuickPick(items, { canPickMany: true, title: "Sources to Search" });
  return picked === undefined || picked.length === 0 ? undefined : picked.map(({ source }) => source);
}

/**
 * The document that the search is asked from, whose folder's stores answer; a match that is looked at takes its place
 * in the editor. Where several folders are open all of them answer.
 */
function documentUri(): { uri?: string } {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const several = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
  return uri?.scheme === "file" && !several ? { uri: uri.toString() } : {};
}

import { describe as group, expect, test } from "vitest";

import {
  bySource,
  describe,
  gaps,
  nothingFound,
  pageName,
  problemText,
  spoken,
  statusBarText,
  withoutIcons,
  withoutLinks,
  type ServerState,
} from "../../src/presentation";
import {
  SOURCES,
  type LookUp,
  type Match,
  type SourceName,
  type SourceReport,
  type Status,
  type StoreStatus,
} from "../../src/protocol";

const MATCH: Match = {
  source: "contracts",
  id: "/w/.gem-squared/archive/WP-ST-12.md#24",
  text: "WP-ST-12 unit 2 · Refuse a rotation",
  provenance: ["archive", "SUCCESS", "weak"],
  place: ".gem-squared/archive/WP-ST-12.md:24",
  path: "/w/.gem-squared/archive/WP-ST-12.md",
  line: 24,
  detail: "A: a",
  copy: "### 2. Refuse a rotation",
};

function answer(sources: LookUp["sources"], matches: readonly Match[] = []): LookUp {
  const statuses = Object.values(sources).map(({ status }) => status);
  const status = statuses.every((one) => one === "complete" || one === "absent") ? "complete" : "incomplete";
  return { query: "E1", status, total_count: matches.length, sources, matches };
}

function report(status: SourceReport["status"], ...reasons: string[]): SourceReport {
  return { status, total_count: 0, problems: reasons.map((reason) => ({ path: "/w/a.json", reason })) };
}

group("a match", () => {
  test("is described by what it is worth and where it stands", () => {
    expect(describe(MATCH)).toBe("archive · SUCCESS · weak · .gem-squared/archive/WP-ST-12.md:24");
  });

  test("is spoken with its source first", () => {
    expect(spoken(MATCH)).toMatch(/^contracts: WP-ST-12 unit 2 .*\. archive, SUCCESS, weak, /u);
  });

  test("stays in the order of the answer", () => {
    const fact: Match = { ...MATCH, source: "memory", id: "f" };
    const groups = bySource([MATCH, fact, { ...MATCH, id: "second" }]);
    expect([...groups.keys()]).toEqual(["contracts", "memory"]);
    expect(groups.get("contracts")?.map(({ id }) => id)).toEqual([MATCH.id, "second"]);
  });
});

group("an answer without matches", () => {
  test("says that nothing is known only after a complete search", () => {
    expect(nothingFound(answer({ memory: report("complete"), wiki: report("absent") }))).toBe(
      "Nothing known about “E1” in memory",
    );
    const incomplete = answer({ memory: report("complete"), wiki: report("incomplete", "no UTF-8") });
    expect(nothingFound(incomplete)).toBe("Nothing found about “E1” in what could be read");
  });

  test("does not claim to have searched where there is no store", () => {
    expect(nothingFound(answer({ memory: report("absent") }))).toBe("There is no store here to search");
  });

  test("names each gap with its first reason and how many there are", () => {
    const found = answer({
      memory: report("failed", "no JSON", "no JSON", "empty"),
      wiki: report("complete"),
      board: report("incomplete", "line 3 is no JSON"),
    });
    expect(gaps(found)).toEqual([
      "memory failed: a.json: no JSON, and 2 more",
      "board incomplete: a.json: line 3 is no JSON",
    ]);
  });

  test("a problem without a file is its reason", () => {
    expect(problemText({ path: "", reason: "indexing 42 %" })).toBe("indexing 42 %");
    expect(problemText({ path: "C:\\projects\\facts.json", reason: "no JSON" })).toBe("facts.json: no JSON");
  });
});

group("the status bar", () => {
  const running: ServerState = { kind: "running" };
  const nobody = new Map<string, number>();

  function store(
    documents: number,
    status: StoreStatus["status"] = "complete",
    ...reasons: string[]
  ): StoreStatus {
    return {
      status,
      documents,
      files: 1,
      problems: reasons.map((reason) => ({ path: "/w/f.json", reason })),
    };
  }

  function status(...roots: Partial<Record<SourceName, StoreStatus>>[]): Status {
    return {
      version: "0",
      roots: roots.map((stores, index) => ({
        root: `/projects/root${String(index)}`,
        sources: Object.fromEntries(
          SOURCES.map((name) => [name, stores[name] ?? store(0, "absent")]),
        ) as Record<SourceName, StoreStatus>,
      })),
    };
  }

  test("counts what there is to know", () => {
    const shown = statusBarText(running, status({ memory: store(12), wiki: store(1) }), nobody);
    expect(shown).toEqual({
      text: "$(book) 13",
      lines: ["memory: 12 facts", "wiki: 1 page"],
      severity: "none",
    });
  });

  test("is not there where no store is", () => {
    expect(statusBarText(running, status({}), nobody).text).toBeUndefined();
    expect(statusBarText(running, status(), nobody).text).toBeUndefined();
  });

  test("warns of a store that could not be read completely, and says why", () => {
    const shown = statusBarText(
      running,
      status({ memory: store(2, "incomplete", "no JSON", "b", "c", "d") }),
      nobody,
    );
    expect(shown.text).toBe("$(warning) 2");
    expect(shown.severity).toBe("warning");
    expect(shown.lines).toEqual([
      "memory: 2 facts, incomplete",
      "⚠ f.json: no JSON",
      "⚠ f.json: b",
      "⚠ f.json: c",
      "⚠ 1 more",
    ]);
  });

  test("names the folder where there are several", () => {
    const shown = statusBarText(running, status({ wiki: store(1) }, { wiki: store(2) }), nobody);
    expect(shown.lines).toEqual(["root0 wiki: 1 page", "root1 wiki: 2 pages"]);
  });

  test("shows the store that is furthest behind while stores are read", () => {
    const shown = statusBarText(
      running,
      status({ wiki: store(1, "incomplete", "indexing 42 %") }),
      new Map([
        ["a", 80],
        ["b", 42],
      ]),
    );
    expect(shown.text).toBe("$(sync~spin) 42 %");
    expect(statusBarText(running, undefined, new Map([["a", 7]])).text).toBe("$(sync~spin) 7 %");
    expect(shown.severity).toBe("none");
  });

  test.each<[ServerState, RegExp, string]>([
    [{ kind: "starting" }, /sync/u, "none"],
    [{ kind: "installing", step: "Installing" }, /sync/u, "none"],
    [{ kind: "stopped" }, /error/u, "error"],
    [{ kind: "failed", reason: "no Python" }, /error/u, "error"],
  ])("shows %j", (state, icon, severity) => {
    const shown = statusBarText(state, status({ wiki: store(1) }), nobody);
    expect(shown.text).toMatch(icon);
    expect(shown.severity).toBe(severity);
    if (state.kind === "failed") {
      expect(shown.lines).toEqual(["no Python"]);
    }
  });
});

group("a page's file", () => {
  test.each([
    ["Prior art: E4217", "Prior art E4217.md"],
    ["Prior art: src/a:b*?.py", "Prior art src a b .py.md"],
    ["Prior art: 서명 키", "Prior art 서명 키.md"],
    [`Prior art: ${"😀x".repeat(60)}`, "Prior art x x x x x x x x x x x x x x x.md"],
  ])("%j is called %j", (title, name) => {
    expect(pageName(title)).toBe(name);
  });
});

group("text from anywhere", () => {
  test.each([
    ["Run $(hostname) and $(trash)", "Run \\$(hostname) and \\$(trash)"],
    ["$(sync~spin)", "\\$(sync~spin)"],
    ["$() $(a b) $5 (x)", "$() $(a b) $5 (x)"],
  ])("%j draws no icon", (text, drawn) => {
    expect(withoutIcons(text)).toBe(drawn);
  });

  test("becomes no link of a message", () => {
    expect(withoutLinks("[Repair it](command:x) [a](https://b)")).toBe(
      "[Repair it] (command:x) [a] (https://b)",
    );
  });
});

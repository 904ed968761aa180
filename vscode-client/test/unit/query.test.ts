import { describe, expect, test } from "vitest";

import { MAX_QUERY_CHARACTERS, parseQuery, queryFrom, typedText } from "../../src/query";

describe("what was typed", () => {
  test.each([
    ["E4217", "E4217", undefined],
    ["  deploy.sh ", "deploy.sh", undefined],
    ["wiki: E4217", "E4217", ["wiki"]],
    ["board, wiki:key rotation", "key rotation", ["wiki", "board"]],
    ["WIKI: x", "x", ["wiki"]],
    ["wiki:", "", ["wiki"]],
    ["std::vector", "std::vector", undefined],
    ["TODO: later", "TODO: later", undefined],
    ["wiki, todo: later", "wiki, todo: later", undefined],
    ["wiki, wiki: x", "wiki, wiki: x", undefined],
    [": x", ": x", undefined],
    ["", "", undefined],
    ['"memory: 512Mi"', "memory: 512Mi", undefined],
    [' "wiki, board: x" ', "wiki, board: x", undefined],
    ['"E4217"', '"E4217"', undefined],
    ['"', '"', undefined],
  ])("%j asks for %j", (typed, query, sources) => {
    expect(parseQuery(typed)).toEqual({ query, sources });
  });
});

describe("a selection as a query", () => {
  test("is its first line", () => {
    expect(queryFrom("  rotate_key(\r\n  now)")).toBe("rotate_key(");
    expect(queryFrom("\n\nE4217\rmore")).toBe("E4217");
    expect(queryFrom("   ")).toBe("");
  });

  test("asks for itself, whatever it looks like", () => {
    for (const selected of ["memory: 512Mi", "wiki: https://example.org", 'board: "x"', "TODO: later"]) {
      expect(parseQuery(typedText(queryFrom(selected)))).toEqual({ query: selected, sources: undefined });
    }
  });

  test("is never longer than a query may be, and cuts no character in two", () => {
    const cut = queryFrom("😀".repeat(MAX_QUERY_CHARACTERS + 5));
    expect(Array.from(cut)).toHaveLength(MAX_QUERY_CHARACTERS);
    expect(cut.isWellFormed()).toBe(true);
  });
});

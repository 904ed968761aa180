/** What somebody typed into the search: words, and perhaps the sources they are looked for in. */

import { SOURCES, type SourceName } from "./protocol";

export const MAX_QUERY_CHARACTERS = 200;

export interface TypedQuery {
  readonly query: string;
  /** Undefined: all of them. */
  readonly sources: readonly SourceName[] | undefined;
}

/**
 * Read `wiki: E4217` or `wiki, board: E4217`; a colon behind anything else belongs to the query. In quotes it always
 * does.
 */
export function parseQuery(typed: string): TypedQuery {
  const [, quoted] = /^"(.*)"$/u.exec(typed.trim()) ?? [];
  return quoted !== undefined && readFilter(quoted).sources !== undefined
    ? { query: quoted.trim(), sources: undefined }
    : readFilter(typed);
}

function readFilter(typed: string): TypedQuery {
  const colon = typed.indexOf(":");
  const names = typed
    .slice(0, Math.max(0, colon))
    .split(",")
    .map((name) => name.trim().toLowerCase());
  const sources = SOURCES.filter((source) => names.includes(source));
  if (sources.length === 0 || sources.length !== names.length) {
    return { query: typed.trim(), sources: undefined };
  }
  return { query: typed.slice(colon + 1).trim(), sources };
}

/** The start of a text that was selected, as one line that is not longer than a query may be. */
export function queryFrom(selected: string): string {
  const line = selected.trim().split(/\r\n|\n|\r/u)[0] ?? "";
  return Array.from(line).slice(0, MAX_QUERY_CHARACTERS).join("").trim();
}

/** A text as somebody would type it who does not mean a filter. */
export function typedText(text: string): string {
  return readFilter(text).sources === undefined ? text : `"${text}"`;
}

/** What the server's commands answer: the JSON of `prior-art-lsp`, as far as this client reads it. */

export const SOURCES = ["memory", "wiki", "board", "contracts", "knowledge"] as const;
export type SourceName = (typeof SOURCES)[number];
export type SourceStatus = "complete" | "incomplete" | "failed" | "absent";

export interface Problem {
  readonly path: string;
  readonly reason: string;
}

export interface SourceReport {
  readonly status: SourceStatus;
  readonly total_count: number;
  readonly problems: readonly Problem[];
}

/** One match of any source. */
export interface Match {
  readonly source: SourceName;
  readonly id: string;
  /** One line, at most some hundred characters. */
  readonly text: string;
  /** Where it is from and what it is worth, in a few words each. */
  readonly provenance: readonly string[];
  /** Path and line as people read them. */
  readonly place: string;
  readonly path: string;
  /** From 1; null for a fact, whose snapshot has no telling line. */
  readonly line: number | null;
  /** All of it, where `text` is only a part; may be empty. */
  readonly detail: string;
  readonly copy: string;
}

/** The answer of `priorArt.lookUp` and `priorArt.aboutFile`. */
export interface LookUp {
  readonly query: string;
  readonly status: SourceStatus;
  readonly total_count: number;
  readonly sources: Partial<Record<SourceName, SourceReport>>;
  readonly matches: readonly Match[];
}

export type About = "everything" | "contracts" | "knowledge";

export interface LookUpOptions {
  readonly query: string;
  readonly about?: About;
  readonly source?: readonly SourceName[];
  readonly uri?: string;
}

/** A search: what was asked, and what the answer was. */
export interface Search {
  readonly asked: LookUpOptions;
  readonly answer: LookUp;
}

/** The answer of `priorArt.page`. */
export interface Page {
  readonly title: string;
  readonly markdown: string;
}

export type PageOptions = (LookUpOptions | { readonly about: "status" }) & { readonly relative_to?: string };

/** The state of one store in the answer of `priorArt.status`. */
export interface StoreStatus {
  readonly status: SourceStatus;
  readonly documents: number;
  readonly files: number;
  readonly problems: readonly Problem[];
}

/** The answer of `priorArt.status`. */
export interface Status {
  readonly version: string;
  readonly roots: readonly {
    readonly root: string;
    readonly sources: Record<SourceName, StoreStatus>;
  }[];
}

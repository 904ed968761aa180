/** The side bar's tree: matches of the last search and of the file in the editor, by source. */

import * as vscode from "vscode";

import type { FoundMatch } from "./matchActions";
import { bySource, capitalized, describe, gaps, ICONS, nothingFound, spoken } from "./presentation";
import type { LookUp, Match, Search, SourceName } from "./protocol";
import type { Server } from "./server";

export const VIEW = "prior-art.matches";
/** Whether there is a search to be shown again, for the manifest. */
const HAS_SEARCH = "prior-art.hasLastSearch";
const FILE_MILLISECONDS = 300;

/** A line of the tree. */
export type Node =
  | {
      readonly kind: "answer";
      readonly id: "search" | "file";
      readonly label: string;
      readonly answer: LookUp;
    }
  | {
      readonly kind: "source";
      readonly parent: string;
      readonly source: SourceName;
      readonly matches: readonly Match[];
      readonly answer: LookUp;
    }
  | ({ readonly kind: "match"; readonly parent: string } & FoundMatch)
  | { readonly kind: "note"; readonly parent: string; readonly text: string; readonly isGap: boolean };

/** The tree's content; `last` is what `prior-art.showLastSearch` shows again. */
export class MatchesView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  last: Search | undefined;
  private file: { readonly name: string; readonly answer: LookUp } | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** The last question about a file. */
  private asking: symbol | undefined;
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Node>;
  private readonly disposables: vscode.Disposable;

  constructor(private readonly server: Server) {
    this.view = vscode.window.createTreeView(VIEW, { treeDataProvider: this, showCollapseAll: true });
    this.disposables = vscode.Disposable.from(
      this.view,
      this.changed,
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.followFileSoon();
      }),
      server.onDidChange(() => {
        this.followFileSoon();
      }),
      this.view.onDidChangeVisibility(() => {
        this.followFileSoon();
      }),
    );
    this.followFileSoon();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.disposables.dispose();
  }

  /** The match whose row is selected. */
  get selected(): FoundMatch | undefined {
    const [node] = this.view.selection;
    return node?.kind === "match" ? node : undefined;
  }

  /** Show a search's answer until the next one. */
  setLast(search: Search | undefined): void {
    this.last = search;
    void vscode.commands.executeCommand("setContext", HAS_SEARCH, search !== undefined);
    this.changed.fire(undefined);
  }

  /** Ask again for all that is shown. */
  async refresh(): Promise<void> {
    const { last } = this;
    if (last !== undefined) {
      const answer = await this.server.lookUp(last.asked);
      // Somebody may have searched for something else meanwhile.
      if (this.last === last) {
        this.setLast({ asked: last.asked, answer });
      }
    }
    await this.followFile();
  }

  getTreeItem(node: Node): vscode.TreeItem {
    switch (node.kind) {
      case "answer":
        return answerItem(node);
      case "source":
        return sourceItem(node);
      case "match":
        return matchItem(node);
      case "note":
        return noteItem(node);
    }
  }

  getChildren(node?: Node): Node[] {
    if (node === undefined) {
      return this.answers();
    }
    if (node.kind === "answer") {
      const groups = [...bySource(node.answer.matches)];
      const notes = gaps(node.answer).map((text): Node => ({
        kind: "note",
        parent: node.id,
        text,
        isGap: true,
      }));
      if (groups.length === 0) {
        return [{ kind: "note", parent: node.id, text: nothingFound(node.answer), isGap: false }, ...notes];
      }
      const sources = groups.map(([source, matches]): Node => ({
        kind: "source",
        parent: node.id,
        source,
        matches,
        answer: node.answer,
      }));
      return [...sources, ...notes];
    }
    if (node.kind === "source") {
      const { answer, parent } = node;
      return node.matches.map((match) => ({ kind: "match", parent, match, query: answer.query }));
    }
    return [];
  }

  private answers(): Node[] {
    const answers: Node[] = [];
    if (this.last !== undefined) {
      answers.push({
        kind: "answer",
        id: "search",
        label: `Last search: ${this.last.answer.query}`,
        answer: this.last.answer,
      });
    }
    // A file of which nothing is known gets no line of its own, unless something could not be read.
    if (
      this.file !== undefined &&
      (this.file.answer.matches.length > 0 || gaps(this.file.answer).length > 0)
    ) {
      answers.push({
        kind: "answer",
        id: "file",
        label: `This file: ${this.file.name}`,
        answer: this.file.answer,
      });
    }
    return answers;
  }

  private followFileSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.followFile(), FILE_MILLISECONDS);
  }

  /** Ask about the editor's file, as long as somebody sees the answer. */
  private async followFile(): Promise<void> {
    const uri = vscode.window.activeTextEditor?.document.uri;
    if (!this.view.visible || this.server.state.kind !== "running") {
      return;
    }
    const asking = Symbol();
    if (uri?.scheme === "file") {
      this.asking = asking;
      const name = uri.path.split("/").pop() ?? "";
      const answer = await this.server.aboutFile(uri.toString()).catch(() => undefined);
      if (this.asking !== asking) {
        return; // A later question may have been answered before.
      }
      this.file = answer === undefined ? undefined : { name, answer };
    } else if (uri === undefined ? vscode.window.visibleTextEditors.length === 0 : uri.scheme !== "output") {
      // Somebody who reads the output or looks into a list still has the file before them.
      this.asking = asking;
      this.file = undefined;
    }
    this.changed.fire(undefined);
  }
}

function answerItem({ id, label, answer }: Extract<Node, { kind: "answer" }>): vscode.TreeItem {
  const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Expanded);
  item.id = id;
  item.iconPath = new vscode.ThemeIcon(id === "search" ? "search" : "file");
  item.description = String(answer.total_count);
  item.contextValue = "answer";
  item.accessibilityInformation = { label: `${label}, ${String(answer.total_count)} matches` };
  return item;
}

function sourceItem({ parent, source, matches, answer }: Extract<Node, { kind: "source" }>): vscode.TreeItem {
  const item = new vscode.TreeItem(capitalized(source), vscode.TreeItemCollapsibleState.Expanded);
  const count = answer.sources[source]?.total_count ?? matches.length;
  item.id = `${parent}/${source}`;
  item.iconPath = new vscode.ThemeIcon(ICONS[source]);
  item.description = count > matches.length ? `${String(matches.length)} of ${String(count)}` : String(count);
  item.contextValue = "source";
  item.accessibilityInformation = { label: `${source}, ${String(count)} matches` };
  return item;
}

function matchItem(node: Extract<Node, { kind: "match" }>): vscode.TreeItem {
  const { match, parent } = node;
  const item = new vscode.TreeItem(match.text);
  item.id = `${parent}/${match.source}/${match.id}`;
  item.description = describe(match);
  item.tooltip = new vscode.MarkdownString()
    .appendText(match.detail || match.text)
    .appendMarkdown("\n\n")
    .appendText(describe(match));
  item.contextValue = "match";
  item.command = { command: "prior-art.openMatch", title: "Open", arguments: [node] };
  item.accessibilityInformation = { label: spoken(match) };
  return item;
}

function noteItem({ parent, text, isGap }: Extract<Node, { kind: "note" }>): vscode.TreeItem {
  const item = new vscode.TreeItem(text);
  item.id = `${parent}/note/${text}`;
  item.iconPath = new vscode.ThemeIcon(isGap ? "warning" : "info");
  item.contextValue = "note";
  if (isGap) {
    item.command = { command: "prior-art.showStatus", title: "Show Status" };
  }
  return item;
}

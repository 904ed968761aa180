/** Prior Art for VS Code: the window's server, and what people see of it. Wiring, nothing else. */

import * as vscode from "vscode";

import { COPY, SHOW_ALL } from "./languageClient";
import { copyText, insertMatch, openMatch, type FoundMatch } from "./matchActions";
import { MatchesView } from "./matchesView";
import { reportingTo, showInformation } from "./messages";
import { showPage } from "./pages";
import type { About, PageOptions } from "./protocol";
import { queryFrom, typedText } from "./query";
import { openSample } from "./sampleWorkspace";
import { openSearch } from "./search";
import { Server } from "./server";
import { createStatusBar } from "./statusBar";

export function activate(context: vscode.ExtensionContext): void {
  const output = vscode.window.createOutputChannel("Prior Art", { log: true });
  const server = new Server(context, output);
  const reporting = reportingTo(output);
  const view = new MatchesView(server);
  const page = (options: PageOptions): Promise<void> => showPage(context, server, options);
  const showStatus = (): Promise<void> => page({ about: "status" });
  const search = (about: About, typed: string): void => {
    openSearch(server, {
      about,
      typed,
      onSearch: (last) => {
        view.setLast(last);
      },
      showPage: page,
      showStatus,
      reporting,
    });
  };
  /** A row's button brings its match, a key that somebody has bound does not. */
  const onMatch = (run: (found: FoundMatch) => unknown) => async (found?: FoundMatch) => {
    const chosen = found ?? view.selected;
    if (chosen === undefined) {
      showInformation("select a match in the view Prior Art first");
    } else {
      await run(chosen);
    }
  };
  const commands: Record<string, (...args: never[]) => unknown> = {
    "prior-art.search": (typed?: unknown) => {
      search("everything", typeof typed === "string" ? typed : typedText(selectedText()));
    },
    "prior-art.searchSelection": () => {
      search("everything", typedText(selectedText()) || wordAtCursor());
    },
    "prior-art.findContracts": () => {
      search("contracts", selectedText());
    },
    "prior-art.searchKnowledge": () => {
      search("knowledge", selectedText());
    },
    "prior-art.showLastSearch": () => (view.last === undefined ? undefined : page(view.last.asked)),
    "prior-art.refresh": () => view.refresh(),
    "prior-art.clearLastSearch": () => {
      view.setLast(undefined);
    },
    "prior-art.showStatus": showStatus,
    "prior-art.restartServer": () => server.restart(),
    "prior-art.showOutput": () => {
      output.show();
    },
    "prior-art.openSample": () => openSample(context),
    "prior-art.openMatch": onMatch(({ match }) => openMatch(match, { preview: true })),
    "prior-art.openMatchAside": onMatch(({ match }) =>
      openMatch(match, { viewColumn: vscode.ViewColumn.Beside }),
    ),
    "prior-art.copyMatch": onMatch(({ match }) => copyText(match.copy)),
    "prior-art.insertMatch": onMatch((found) => insertMatch(server, found)),
    [SHOW_ALL]: ({ query, uri }: { query: string; uri?: string }) =>
      page({ query, ...(uri === undefined ? {} : { uri }) }),
    [COPY]: ({ text }: { text: string }) => copyText(text),
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, reporting(run)));
  }
  context.subscriptions.push(
    output,
    server,
    view,
    createStatusBar(server),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.restart()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("priorArt.interpreter")) {
        void server.restart();
      }
    }),
  );
  void server.start();
}

function selectedText(): string {
  const editor = vscode.window.activeTextEditor;
  return editor === undefined ? "" : queryFrom(editor.document.getText(editor.selection));
}

function wordAtCursor(): string {
  const editor = vscode.window.activeTextEditor;
  const range = editor?.document.getWordRangeAtPosition(editor.selection.active);
  return editor === undefined || range === undefined ? "" : editor.document.getText(range);
}

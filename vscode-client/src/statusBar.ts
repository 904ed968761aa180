/** The status bar's entry: how much there is to know here, and what cannot be read. */

import * as vscode from "vscode";

import { statusBarText } from "./presentation";
import type { Status } from "./protocol";
import type { Server } from "./server";

const REFRESH_MILLISECONDS = 1000;

/** Keep the entry true for as long as the extension runs. */
export function createStatusBar(server: Server): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("prior-art.status", vscode.StatusBarAlignment.Right, 90);
  item.name = "Prior Art";
  let status: Status | undefined;
  let timer: NodeJS.Timeout | undefined;

  const draw = (): void => {
    const { text, lines, severity } = statusBarText(server.state, status, server.indexing);
    if (text === undefined) {
      item.hide();
      return;
    }
    item.text = text;
    item.tooltip = tooltip(lines);
    item.command = server.state.kind === "failed" ? "prior-art.restartServer" : "prior-art.showStatus";
    item.backgroundColor =
      severity === "none" ? undefined : new vscode.ThemeColor(`statusBarItem.${severity}Background`);
    item.accessibilityInformation = { label: `Prior Art. ${lines.join(". ")}`, role: "button" };
    item.show();
  };
  const refresh = async (): Promise<void> => {
    timer = undefined;
    if (server.state.kind === "running") {
      status = await server.status().catch(() => undefined);
    }
    draw();
  };
  const refreshSoon = (): void => {
    timer ??= setTimeout(() => void refresh(), REFRESH_MILLISECONDS);
  };
  const changed = (): void => {
    if (server.state.kind !== "running") {
      status = undefined;
    }
    draw();
    refreshSoon();
  };
  changed();
  return vscode.Disposable.from(
    item,
    server.onDidChange(changed),
    vscode.workspace.onDidSaveTextDocument(refreshSoon),
    vscode.workspace.onDidChangeConfiguration(refreshSoon),
    vscode.workspace.onDidChangeWorkspaceFolders(refreshSoon),
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) {
        refreshSoon();
      }
    }),
    {
      dispose: () => {
        clearTimeout(timer);
      },
    },
  );
}

function tooltip(lines: readonly string[]): vscode.MarkdownString {
  const text = new vscode.MarkdownString(undefined, true);
  text.isTrusted = {
    enabledCommands: ["prior-art.showStatus", "prior-art.search", "prior-art.restartServer"],
  };
  text.appendMarkdown("**Prior Art**\n\n");
  for (const line of lines) {
    text.appendText(line).appendMarkdown("\n\n");
  }
  text.appendMarkdown(
    "[Search](command:prior-art.search) · [Show status](command:prior-art.showStatus) · [Restart server](command:prior-art.restartServer)",
  );
  return text;
}

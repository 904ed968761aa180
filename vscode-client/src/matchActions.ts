/** What can be done with one match: open it, copy it, insert it where the cursor is. */

import * as vscode from "vscode";

import { showInformation, showWarning } from "./messages";
import type { Match } from "./protocol";
import type { Server } from "./server";

/** Of the documents that the server knows. */
const WRITABLE_SCHEMES: ReadonlySet<string> = new Set(["file", "untitled", "vscode-notebook-cell"]);

/** A match, and the query that it answers. */
export interface FoundMatch {
  readonly match: Match;
  readonly query: string;
}

/** Show a match in its file; as a mere preview the focus stays where it is. */
export async function openMatch(
  match: Match,
  options: vscode.TextDocumentShowOptions = {},
): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(match.path));
  const place = placeOf(match, document);
  return vscode.window.showTextDocument(document, { ...options, selection: place });
}

export async function copyText(text: string): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage("$(copy) Copied", 3000);
}

/** Write a match above the cursor's line: a contract as a unit-work of a plan, anything else as a comment. */
export async function insertMatch(server: Server, { match, query }: FoundMatch): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    showInformation("open the document that it should go into first");
    return;
  }
  const { version, uri } = editor.document;
  if (!WRITABLE_SCHEMES.has(uri.scheme)) {
    showInformation("nothing can be inserted into this document; open the one that it should go into");
    return;
  }
  // Somebody has looked at it just now. Only a contract may well go into the plan that it is from.
  if (uri.fsPath === vscode.Uri.file(match.path).fsPath && match.source !== "contracts") {
    showInformation("this is the file that it is from; open the one that it should go into");
    return;
  }
  const insertion = await server.insertion({
    uri: uri.toString(),
    line: editor.selection.active.line,
    query,
    id: match.id,
  });
  if (typeof insertion === "string") {
    showInformation(insertion);
  } else if (editor.document.version !== version || !(await vscode.workspace.applyEdit(insertion))) {
    showWarning("the document has changed meanwhile; try again");
  } else {
    await vscode.window.showTextDocument(editor.document, editor.viewColumn);
  }
}

/** The line of a match; a fact is looked for in its snapshot, as JSON writes it or as it is. */
function placeOf(match: Match, document: vscode.TextDocument): vscode.Range {
  if (match.line !== null) {
    const line = Math.min(match.line, document.lineCount) - 1;
    return new vscode.Range(line, 0, line, 0);
  }
  const text = document.getText();
  for (const needle of [JSON.stringify(match.detail).slice(1, -1), asciiJson(match.detail), match.id]) {
    const start = needle === "" ? -1 : text.indexOf(needle);
    if (start >= 0) {
      return new vscode.Range(document.positionAt(start), document.positionAt(start + needle.length));
    }
  }
  return new vscode.Range(0, 0, 0, 0);
}

/** Text inside JSON whose writer escapes what is not ASCII. */
function asciiJson(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The sample workspace of the walkthrough: a copy that belongs to the person, to try everything on. */

import { cp } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";

/** Open the sample in another window, with whatever has been done with it. */
export async function openSample(context: vscode.ExtensionContext): Promise<void> {
  const source = path.join(context.extensionPath, "sample", "harbour");
  const copy = path.join(context.globalStorageUri.fsPath, "sample", "harbour");
  await cp(source, copy, { recursive: true, force: false });
  await vscode.commands.executeCommand("vscode.openFolder", vscode.Uri.file(copy), { forceNewWindow: true });
}

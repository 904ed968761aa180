/** The sample workspace of the walkthrough: a copy that belongs to the person, to try everything on. */

import { cp, rm } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";

/** Copy the sample anew and open it in another window. */
export async function openSample(context: vscode.ExtensionContext): Promise<void> {
  const source = path.join(context.extensionPath, "sample", "harbour");
  const copy = path.join(context.globalStorageUri.fsPath, "sample", "harbour");
  await rm(copy, { recursive: true, force: true });
  await cp(source, copy, { recursive: true });
  await vscode.commands.executeCommand("vscode.openFolder", vscode.Uri.file(copy), { forceNewWindow: true });
}

/** Result pages: read-only Markdown files of the extension's own, shown in the Markdown preview. */

import { createHash } from "node:crypto";
import { chmod, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";

import { pageName } from "./presentation";
import type { PageOptions } from "./protocol";
import type { Server } from "./server";

const KEPT_PAGES = 40;
const READ_ONLY = 0o444;

let showing: Promise<unknown> = Promise.resolve();

/** Have the server write a page, and show it. */
export async function showPage(
  context: vscode.ExtensionContext,
  server: Server,
  options: PageOptions,
): Promise<void> {
  const pages = path.join((context.storageUri ?? context.globalStorageUri).fsPath, "pages");
  // One folder for each question, so that the file's name can be that of the page.
  const folder = path.join(
    pages,
    createHash("sha256").update(JSON.stringify(options)).digest("hex").slice(0, 12),
  );
  // A preview follows links only where they are relative to the page.
  const page = await server.page({ ...options, relative_to: folder });
  // One after the other, for two may be the same file.
  const shown = showing.then(() =>
    writeAndShow(pages, path.join(folder, pageName(page.title)), page.markdown),
  );
  showing = shown.catch(() => undefined);
  await shown;
}

async function writeAndShow(pages: string, file: string, markdown: string): Promise<void> {
  const folder = path.dirname(file);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(file, markdown, "utf8");
  await chmod(file, READ_ONLY);
  // What is left over stays until the next page.
  await removeOldPages(pages).catch(() => undefined);
  await preview(vscode.Uri.file(file));
}

async function preview(file: vscode.Uri): Promise<void> {
  try {
    await vscode.commands.executeCommand("markdown.showPreview", file);
  } catch {
    // Somebody may have switched the built-in Markdown extension off.
    await vscode.window.showTextDocument(file, { preview: true });
  }
}

async function removeOldPages(pages: string): Promise<void> {
  const folders = (await readdir(pages)).map((name) => path.join(pages, name));
  const dated = await Promise.all(
    folders.map(async (folder) => ({ folder, time: (await stat(folder)).mtimeMs })),
  );
  const old = dated.sort((one, other) => other.time - one.time).slice(KEPT_PAGES);
  await Promise.all(old.map(({ folder }) => rm(folder, { recursive: true, force: true })));
}

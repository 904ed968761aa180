/** What a person does in VS Code's window, and what they see there. */

import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as path from "node:path";

import { MODULES, until } from "./codeServer.mjs";

const { chromium } = createRequire(path.join(MODULES, "x.js"))("playwright-core");
const ARTIFACTS = path.join(import.meta.dirname, "artifacts");
const HOVER = ".monaco-hover:not(.hidden) .hover-contents";
const LIST = ".quick-input-widget:visible";

/** A Chromium without a window. */
export function startBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** Open a window on a folder or a workspace file, perhaps with a file of it in the editor. */
export async function openWindow(
  browser,
  server,
  { folder, workspaceFile, file, viewport = { width: 1280, height: 800 } },
) {
  const context = await browser.newContext({
    viewport,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(5000);
  const authority = new URL(server.origin).host;
  const place =
    workspaceFile === undefined
      ? `folder=${encodeURIComponent(folder)}`
      : `workspace=${encodeURIComponent(workspaceFile)}`;
  const payload = file === undefined ? [] : [["openFile", `vscode-remote://${authority}${encodeURI(file)}`]];
  await page.goto(`${server.origin}/?${place}&payload=${encodeURIComponent(JSON.stringify(payload))}`, {
    timeout: 60_000,
  });
  await page.waitForSelector(".monaco-workbench .statusbar", { timeout: 60_000 });
  const window = new Window(page, context, server);
  if (file !== undefined) {
    await page.waitForSelector(".monaco-editor .view-line", { timeout: 60_000 });
  }
  return window;
}

export class Window {
  constructor(page, context, server) {
    this.page = page;
    this.context = context;
    this.server = server;
  }

  close() {
    return this.context.close();
  }

  async screenshot(name) {
    mkdirSync(ARTIFACTS, { recursive: true });
    await this.page.screenshot({ path: path.join(ARTIFACTS, `${name}.png`) });
  }

  /** Do something that leaves a picture, the messages shown and the server's output behind when it fails. */
  async keepingFailure(name, run) {
    try {
      await run();
    } catch (error) {
      await this.screenshot(`failed ${name}`);
      const told = await this.notifications().catch(String);
      writeFileSync(path.join(ARTIFACTS, `failed ${name}.log`), `${told}\n${this.server.output()}`);
      throw error;
    }
  }

  /** All messages that have not been put away, those included that are shown no more. */
  async notifications() {
    await this.runCommand("Notifications: Show Notifications");
    const messages = this.page.locator(".notifications-center .notification-list-item-message");
    await messages.first().waitFor();
    return (await messages.allInnerTexts()).join("\n");
  }

  press(keys) {
    return this.page.keyboard.press(keys);
  }

  type(text) {
    return this.page.keyboard.type(text);
  }

  /** What somebody does here opens another window. */
  async followToWindow(act) {
    const opened = this.context.waitForEvent("page", { timeout: 20_000 });
    await act();
    const page = await opened;
    page.setDefaultTimeout(5000);
    await page.waitForSelector(".monaco-workbench .statusbar", { timeout: 60_000 });
    return new Window(page, this.context, this.server);
  }

  // The editor

  /** The text that the editor in front shows. */
  async editorText() {
    const lines = await this.page
      .locator(".editor-group-container.active .monaco-editor .view-line")
      .allInnerTexts();
    return lines.join("\n").replaceAll("\u00a0", " ");
  }

  async waitForEditorText(pattern) {
    await until(
      async () => pattern.test(await this.editorText()),
      20_000,
      () => `no ${pattern} in the editor`,
    );
  }

  async activeTab() {
    const label = ".editor-group-container.active .tab.active .monaco-icon-label-container";
    return (await this.page.locator(label).first().textContent()) ?? "";
  }

  tabs() {
    return this.page.locator(".editor-group-container .tab .monaco-icon-label-container").allTextContents();
  }

  waitForTab(name) {
    return until(
      async () => (await this.activeTab()).includes(name),
      20_000,
      () => `no tab ${name}`,
    );
  }

  /** Line and column of the cursor, from 1. */
  async cursor() {
    const text = await this.page.locator("#status\\.editor\\.selection").innerText();
    return text.match(/\d+/g).slice(0, 2).map(Number);
  }

  async goTo(line, column = 1) {
    await this.takeFirst(`:${line}:${column}`, `line ${line}`);
    await until(
      async () => String(await this.cursor()) === `${line},${column}`,
      5000,
      () => `the cursor is not in line ${line}`,
    );
  }

  async openFile(name) {
    await this.takeFirst(name, name);
    await this.waitForEditor(name);
  }

  /** Until keys that are pressed go to a file. */
  async waitForEditor(name) {
    await this.waitForTab(name);
    await this.waitForFocusIn(`.editor-group-container.active .monaco-editor[data-uri$="/${name}"]`);
  }

  /** Rest the mouse in the middle of a text of the editor in front. */
  async restOn(text) {
    const place = await until(
      () => this.page.evaluate(placeInEditor, text),
      20_000,
      () => `no ${text} in the editor`,
    );
    await this.page.mouse.move(place.x + 60, place.y + 200);
    await this.page.mouse.move(place.x - 1, place.y);
    await this.page.mouse.move(place.x, place.y);
  }

  /** What is shown beside the mouse now. */
  hovers() {
    return this.page.locator(HOVER).allInnerTexts();
  }

  /** What the popup over a text says; tries again, since a server may still be on its way. */
  async hover(text, pattern = /Prior art/) {
    return until(
      async () => {
        await this.restOn(text);
        const hover = this.page.locator(HOVER);
        await hover.filter({ hasText: pattern }).first().waitFor({ timeout: 2000 });
        return (await hover.allInnerTexts()).join("\n");
      },
      40_000,
      () => `no hover on ${text}`,
    );
  }

  async followHoverLink(name) {
    const link = this.page.locator(".monaco-hover:not(.hidden) a").filter({ hasText: name }).first();
    await link.scrollIntoViewIfNeeded();
    await link.click();
  }

  /** What the light bulb offers where the cursor is; the menu stays open. */
  async lightBulb() {
    return until(
      async () => {
        await this.press("Control+.");
        await this.page.waitForSelector(".action-widget .monaco-list-row", { timeout: 3000 });
        const titles = await this.page.locator(".action-widget .monaco-list-row").allInnerTexts();
        if (!titles.some((title) => title.includes("Prior art"))) {
          await this.press("Escape");
          return undefined;
        }
        return titles;
      },
      30_000,
      () => "the light bulb offers nothing of ours",
    );
  }

  async chooseAction(pattern) {
    await this.lightBulb();
    await this.page.locator(".action-widget .monaco-list-row").filter({ hasText: pattern }).first().click();
  }

  // Commands and lists

  runCommand(title) {
    return this.takeFirst(`>${title}`, title);
  }

  /** Type into VS Code's own list and take its first row, which is to have a text in it. */
  async takeFirst(typed, text) {
    await until(
      async () => {
        // What is still on its way into the editor may take the list away again.
        await this.press("Control+p");
        await this.waitForFocusIn(".quick-input-widget");
        await this.search(typed);
        await until(async () => (await this.quickRows())[0]?.includes(text), 3000);
        // Enter would go to whatever has the focus by then, the text in the editor too.
        await this.page.locator(`${LIST} .monaco-list-row`).first().click({ timeout: 1000 });
        return true;
      },
      20_000,
      () => `no ${text} in the list for ${typed}`,
    );
  }

  /** Leave the list, which shows one file, without a choice: the file from before comes back. */
  async leaveList(shown, before) {
    await this.waitForTab(shown);
    await this.press("Escape");
    await this.waitForEditor(before);
  }

  /** Run one of our searches and wait until its list is there. */
  async startSearch(command, title) {
    await this.runCommand(command);
    await this.waitForTitle(title);
  }

  waitForTitle(title) {
    return until(
      async () => (await this.quickTitle()) === title,
      15_000,
      () => `no list with the title ${title}`,
    );
  }

  quickRows() {
    return this.page.locator(`${LIST} .monaco-list-row`).allInnerTexts();
  }

  quickTitle() {
    return this.page.locator(`${LIST} .quick-input-title`).innerText();
  }

  async waitForQuickRow(pattern) {
    return until(
      async () => (await this.quickRows()).find((row) => pattern.test(row.replaceAll("\n", " "))),
      20_000,
      () => `no row ${pattern} in the list`,
    );
  }

  /** What stands in the list's box. */
  typed() {
    return this.page.locator(`${LIST} input`).inputValue();
  }

  /** Replace what stands in the list's box. */
  search(text) {
    return this.page.locator(`${LIST} input`).fill(text);
  }

  // The rest of the window

  async openView() {
    await this.runCommand("View: Show Prior Art");
    await this.page.waitForSelector(".sidebar .composite.title:has-text('Prior Art')");
  }

  /** Trust the workspace, as the editor's own page for that offers. */
  async trust() {
    await this.runCommand("Workspaces: Manage Workspace Trust");
    const button = this.page.locator(".workspace-trust-editor .monaco-button").filter({ hasText: /^Trust$/ });
    await button.click();
  }

  waitForFocusIn(selector) {
    const isThere = (asked) => (document.activeElement?.closest(asked) ?? null) !== null;
    return until(
      () => this.page.evaluate(isThere, selector),
      5000,
      () => `the focus is not in ${selector}`,
    );
  }

  /** Go down in the tree by keyboard until a row has the focus. */
  async goDownTo(pattern) {
    const focused = this.page.locator(".sidebar .monaco-list-row.focused");
    await this.waitForFocusIn(".sidebar .monaco-list");
    await until(
      async () => {
        const [label] = await focused.evaluateAll((rows) => rows.map((row) => row.ariaLabel ?? ""));
        if (label !== undefined && pattern.test(label)) {
          return true;
        }
        await this.press("ArrowDown");
        return false;
      },
      10_000,
      () => `no row ${pattern} has the focus`,
    );
  }

  treeItem(pattern) {
    return this.page.getByRole("treeitem", { name: pattern }).first();
  }

  async treeAction(pattern, action) {
    const item = this.treeItem(pattern);
    await item.hover();
    await item.locator(`a.action-label[aria-label^='${action}']`).click();
  }

  statusBarItem() {
    return this.page.locator(".statusbar-item[id*='prior-art.status']");
  }

  /** Text and what a screen reader says of our entry in the status bar. */
  async statusBar() {
    const items = await this.statusBarItem().evaluateAll((elements) =>
      elements.map((element) => ({
        text: element.innerText,
        said: element.querySelector("[aria-label]")?.getAttribute("aria-label") ?? "",
        icon: element.querySelector(".codicon")?.className ?? "",
      })),
    );
    return items[0] ?? { text: "", said: "", icon: "" };
  }

  waitForStatusBar(test, milliseconds = 60_000) {
    let seen;
    return until(
      async () => test((seen = await this.statusBar())) && seen,
      milliseconds,
      () => `the status bar shows ${JSON.stringify(seen)}`,
    );
  }

  /** The server runs and the stores are read. */
  ready(milliseconds) {
    return this.waitForStatusBar(
      ({ icon, text }) => /book|warning/.test(icon) && /\d/.test(text),
      milliseconds,
    );
  }

  async notification(pattern) {
    const toast = this.page.locator(".notification-toast").filter({ hasText: pattern }).first();
    await toast.waitFor({ timeout: 60_000 });
    return toast;
  }

  /** The Markdown preview in front, as text. */
  async preview(pattern) {
    return until(
      async () => {
        for (const frame of this.page.frames()) {
          const text = await frame
            .locator("body.vscode-body")
            .innerText({ timeout: 500 })
            .catch(() => "");
          if (pattern.test(text)) {
            return { text, frame };
          }
        }
        return undefined;
      },
      30_000,
      () => `no preview with ${pattern}`,
    );
  }

  async clipboard() {
    return this.page.evaluate(() => navigator.clipboard.readText());
  }
}

/** Runs in the page: the middle of a text's first occurrence in the editor in front. */
function placeInEditor(text) {
  const lines = document.querySelectorAll(".editor-group-container.active .monaco-editor .view-line");
  for (const line of lines) {
    const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const start = node.data.replaceAll("\u00a0", " ").indexOf(text);
      if (start >= 0) {
        const range = document.createRange();
        range.setStart(node, start);
        range.setEnd(node, start + text.length);
        const box = range.getBoundingClientRect();
        return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      }
    }
  }
  return null;
}

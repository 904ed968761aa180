/** The README's pictures, made anew: the environment is that of the tests. */

import { mkdirSync } from "node:fs";
import * as path from "node:path";

import { CLIENT, startCodeServer, workspace } from "./codeServer.mjs";
import { openWindow, startBrowser } from "./workbench.mjs";

const IMAGES = path.join(CLIENT, "images");

/** Nothing that would draw the eye away from what a picture is about. */
const CALM = {
  "workbench.layoutControl.enabled": false,
  "window.commandCenter": false,
  "breadcrumbs.enabled": false,
  "editor.matchBrackets": "never",
  "editor.occurrencesHighlight": "off",
  "editor.renderLineHighlight": "none",
  "editor.guides.indentation": false,
  "editor.stickyScroll.enabled": false,
  "editor.scrollbar.horizontal": "hidden",
  "workbench.tree.renderIndentGuides": "none",
};

async function main() {
  const settings = { ...CALM, "priorArt.interpreter": process.env.PYTHON };
  const server = await startCodeServer({ settings });
  const browser = await startBrowser();
  try {
    const folder = workspace({ from: "examples/harbour" });
    const file = path.join(folder, "src/signing.py");
    const viewport = { width: 1000, height: 625 };
    const window = await openWindow(browser, server, { folder, file, viewport });
    await window.ready();
    await window.page.locator(".notification-toast").first().waitFor({ state: "detached" });
    mkdirSync(IMAGES, { recursive: true });
    await search(window);
    await view(window);
    await hover(window);
    await page(window);
  } finally {
    await browser.close();
    await server.stop();
  }
}

async function search(window) {
  await window.runCommand("View: Close Primary Side Bar");
  await window.goTo(50);
  await window.startSearch("Prior Art: Search…", "Search Prior Art");
  await window.search("E4217");
  await window.waitForQuickRow(/Show 9 as a page/);
  for (let row = 0; row < 3; row += 1) {
    await window.press("ArrowDown");
  }
  await window.waitForTab("e42xx-signing-errors.md");
  await window.waitForEditorText(/refuses to make a key/);
  await window.page.getByText("Activating Extensions").waitFor({ state: "detached" });
  await save(window, "search");
  await window.leaveList("e42xx-signing-errors.md", "signing.py");
}

async function view(window) {
  await window.openView();
  await window.openFile("deploy.sh");
  await window.treeItem(/^This file: deploy\.sh/).waitFor();
  await window.treeItem(/^wiki: Signing errors/).hover();
  await save(window, "view");
}

async function hover(window) {
  await window.runCommand("View: Close All Editors");
  await window.openFile("signing.py");
  await window.runCommand("View: Close Primary Side Bar");
  await window.goTo(50);
  await window.hover("E4217");
  await save(window, "hover");
}

async function page(window) {
  await window.followHoverLink("1 more");
  await window.preview(/Prior art: E4217/);
  await save(window, "page");
}

async function save(window, name) {
  await window.page.screenshot({ path: path.join(IMAGES, `${name}.png`), animations: "disabled" });
}

await main();

/** What somebody does with the extension on an ordinary day, on the sample workspace. */

import assert from "node:assert/strict";
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";

import { startCodeServer, until, workspace } from "./codeServer.mjs";
import { openWindow, startBrowser } from "./workbench.mjs";

const SETTINGS = { "priorArt.interpreter": process.env.PYTHON };
const KEEPERS = ".masc/config/keepers";

describe("an ordinary day", () => {
  let server, browser, folder, window;

  before(async () => {
    server = await startCodeServer({ settings: SETTINGS });
    browser = await startBrowser();
    folder = workspace({ from: "examples/harbour" });
    window = await openWindow(browser, server, { folder, file: path.join(folder, "src/signing.py") });
    await window.ready();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });
  beforeEach(async () => {
    await window.press("Escape");
  });

  function scenario(name, run) {
    test(name, () => window.keepingFailure(name, run));
  }

  async function openSource() {
    await window.runCommand("View: Close All Editors");
    await window.openFile("signing.py");
    await window.goTo(50);
  }

  async function waitForTabs(tabs) {
    await until(
      async () => String(await window.tabs()) === String(tabs),
      5000,
      () => `other tabs than ${tabs}`,
    );
  }

  scenario("the status bar counts what there is to know", async () => {
    const { text, said } = await window.statusBar();
    assert.equal(text.trim(), "34");
    assert.match(
      said,
      /memory: 12 facts.*wiki: 6 pages.*board: 7 posts.*contracts: 8 unit-works.*knowledge: 1 item/,
    );
  });

  scenario("a hover on a code says what is known", async () => {
    await openSource();
    const said = await window.hover("E4217");
    assert.match(said, /^Prior art · E4217/);
    assert.match(said, /memory: E4217 means that the signing clock is more than 90 s off/);
    assert.match(said, /wiki: Signing errors/);
    assert.match(said, /contract: WP-ST-12 unit 2/);
    await window.screenshot("hover dark");
  });

  scenario("a keyword has no hover of ours", async () => {
    await openSource();
    await window.hover("E4217");
    await window.restOn("raise");
    await window.page.waitForTimeout(1500);
    assert.deepEqual(await window.hovers(), []);
  });

  scenario("a link of a hover opens the page at its line", async () => {
    await openSource();
    await window.hover("E4217");
    await window.followHoverLink("Signing errors");
    await window.waitForTab("e42xx-signing-errors.md");
    await until(async () => (await window.cursor())[0] === 10);
  });

  scenario("“… more” shows everything as a page, whose links lead on", async () => {
    await openSource();
    await window.hover("E4217");
    await window.followHoverLink("1 more");
    const { text, frame } = await window.preview(/Prior art: E4217/);
    assert.match(text, /Contracts · 1/);
    assert.match(text, /`rotate_signing_key` raises `SigningError` with code E4217/);
    await window.screenshot("page dark");
    await frame.locator("a", { hasText: "WP-ST-12.md:24" }).click();
    await until(async () => /WP-ST-12/.test(await window.activeTab()));
  });

  scenario("the light bulb cites a match in a comment", async () => {
    await openSource();
    await window.goTo(50, 34);
    const titles = await window.lightBulb();
    assert.ok(
      titles.some((title) => title.includes("Prior art: open memory")),
      titles.join("\n"),
    );
    assert.ok(
      titles.some((title) => /Prior art: show all 9 matches/.test(title)),
      titles.join("\n"),
    );
    await window.screenshot("actions dark");
    await window.press("Escape");
    await window.chooseAction(/Prior art: cite memory/);
    await window.waitForEditorText(/# Prior art: memory of keeper-tide, sha256:/);
    await window.press("Control+z");
  });

  scenario("the light bulb copies a contract", async () => {
    await openSource();
    await window.goTo(50, 34);
    await window.chooseAction(/Prior art: copy contract/);
    await until(async () =>
      /^### 2\. Refuse a rotation while the clock is off/.test(await window.clipboard()),
    );
  });

  scenario("the light bulb inserts a proven contract into a plan", async () => {
    await window.openFile("WP-ST-15.md");
    await window.press("Control+End");
    await window.type("\nWP-ST-12");
    await window.chooseAction(/Prior art: insert contract: WP-ST-12 unit 1/);
    await window.press("Control+Home");
    await window.press("Control+f");
    await window.page.keyboard.insertText("Accept the previous key for a day | STATUS: PENDING");
    await until(async () =>
      /of 1$/.test(await window.page.locator(".find-widget .matchesCount").innerText()),
    );
    await window.press("Escape");
    await window.runCommand("File: Revert File");
  });

  scenario("the search follows what is typed, by source as well", async () => {
    await openSource();
    await window.startSearch("Prior Art: Search…", "Search Prior Art");
    await window.search("E42");
    await window.waitForQuickRow(/Signing errors/);
    await window.search("E4217");
    await window.waitForQuickRow(/E4217 means that the signing clock.*keeper-tide · lesson · 2026-05-09/);
    await window.waitForQuickRow(/Show 9 as a page/);
    await window.screenshot("search dark");
    const rows = await window.quickRows();
    const place = (pattern) => rows.findIndex((row) => pattern.test(row));
    assert.ok(place(/E4217 means/) < place(/Signing errors/), "in the server's order");
    assert.ok(place(/Signing errors/) < place(/Nightly 8841/), "in the server's order");
    await window.search("wiki: E4217");
    await until(async () => {
      const found = await window.quickRows();
      return (
        found.some((row) => /Signing errors/.test(row)) && !found.some((row) => /Nightly 8841/.test(row))
      );
    });
    await window.waitForTab("e42xx-signing-errors.md");
    await window.search("nothing-of-this-kind");
    await window.waitForQuickRow(
      /Nothing known about “nothing-of-this-kind” in memory, wiki, board, contracts, knowledge/,
    );
    await window.leaveList("e42xx-signing-errors.md", "signing.py");
  });

  scenario("the keyboard alone looks at a match, puts the editor back, and opens it", async () => {
    await openSource();
    // Otherwise the match would only take its tab for a while.
    await window.runCommand("View: Keep Editor");
    await window.openFile("deploy.sh");
    await window.openFile("signing.py");
    await window.goTo(50);
    const tabs = await window.tabs();
    await window.startSearch("Prior Art: Search…", "Search Prior Art");
    await window.search("wiki: E4217");
    await window.waitForQuickRow(/Signing errors/);
    await window.press("ArrowDown");
    await window.press("ArrowUp");
    await window.leaveList("e42xx-signing-errors.md", "signing.py");
    await waitForTabs(tabs);
    await until(async () => (await window.cursor())[0] === 50);
    await window.startSearch("Prior Art: Search…", "Search Prior Art");
    await window.search("wiki: E4217");
    await window.waitForQuickRow(/Signing errors/);
    await window.press("Enter");
    await window.waitForTab("e42xx-signing-errors.md");
    await until(async () => (await window.cursor())[0] === 10);
  });

  scenario("where every tab stays open, those that were only looked at go", async () => {
    server.setSettings({ ...SETTINGS, "workbench.editor.enablePreview": false });
    await openSource();
    const tabs = await window.tabs();
    await window.startSearch("Prior Art: Search…", "Search Prior Art");
    await window.search("wiki: E4217");
    await window.waitForTab("e42xx-signing-errors.md");
    await window.press("ArrowDown");
    await window.leaveList("key-rotation.md", "signing.py");
    await waitForTabs(tabs);
    await window.startSearch("Prior Art: Search…", "Search Prior Art");
    await window.search("wiki: E4217");
    await window.waitForTab("e42xx-signing-errors.md");
    await window.press("ArrowDown");
    await window.waitForTab("key-rotation.md");
    await window.press("Enter");
    await waitForTabs([...tabs, "key-rotation.md"]);
    server.setSettings(SETTINGS);
  });

  scenario("what could not be put back is not covered", async () => {
    await openSource();
    await window.runCommand("File: Compare Active File with Saved");
    await window.waitForTab("↔");
    await window.startSearch("Prior Art: Search…", "Search Prior Art");
    await window.search("wiki: E4217");
    await window.waitForQuickRow(/Signing errors/);
    await window.page.waitForTimeout(500);
    await window.waitForTab("↔");
    await window.press("Escape");
    await window.waitForTab("↔");
  });

  scenario("shell text is shown as it is, and a file that is gone is told of", async () => {
    const page = path.join(folder, "docs/wiki/shell.md");
    writeFileSync(page, "# Run $(hostname) and $(trash) before E7777\n");
    await openSource();
    await window.startSearch("Prior Art: Search…", "Search Prior Art");
    await until(async () => {
      await window.search("E7777");
      return (await window.waitForQuickRow(/E7777/)).includes("Run $(hostname) and $(trash) before E7777");
    });
    rmSync(page);
    await window.press("Enter");
    await window.notification(/Prior Art: .*shell\.md/);
    await window.runCommand("Notifications: Clear All Notifications");
  });

  scenario("a list of sources narrows the search", async () => {
    await openSource();
    await window.startSearch("Prior Art: Search…", "Search Prior Art");
    await window.search("E4217");
    await window.waitForQuickRow(/Nightly 8841/);
    await window.page.locator(".quick-input-widget a[aria-label='Choose the Sources']").click();
    await window.waitForTitle("Sources to Search");
    for (const name of ["Memory", "Board", "Contracts", "Knowledge"]) {
      await window.page.locator(`.quick-input-list .monaco-list-row[aria-label='${name}']`).click();
    }
    await window.press("Enter");
    await window.waitForTitle("Search Prior Art in wiki");
    await until(async () => {
      const rows = await window.quickRows();
      return rows.some((row) => /Signing errors/.test(row)) && !rows.some((row) => /Nightly/.test(row));
    });
    await window.leaveList("e42xx-signing-errors.md", "signing.py");
  });

  scenario("a fact opens where it stands in its snapshot", async () => {
    await openSource();
    await window.startSearch("Prior Art: Search…", "Search Prior Art");
    await window.search("memory: may simply be repeated");
    await window.waitForQuickRow(/may simply be repeated/);
    await window.press("Enter");
    await window.waitForTab("keeper-tide.memory-current.json");
    const lines = readFileSync(path.join(folder, KEEPERS, "keeper-tide.memory-current.json"), "utf8").split(
      "\n",
    );
    const line = lines.findIndex((text) => text.includes("may simply be repeated")) + 1;
    await until(async () => (await window.cursor())[0] === line);
  });

  scenario("a selection is searched for", async () => {
    await openSource();
    await window.goTo(50, 29);
    for (let letter = 0; letter < "E421".length; letter += 1) {
      await window.press("Shift+ArrowRight");
    }
    await window.startSearch("Prior Art: Search Selection", "Search Prior Art");
    assert.equal(await window.typed(), "E421");
    await window.waitForQuickRow(/Signing errors/);
    await window.leaveList("keeper-tide.memory-current.json", "signing.py");
  });

  scenario("a plan finds contracts by words", async () => {
    await openSource();
    await window.startSearch("Prior Art: Plan: Find Contracts…", "Find Contracts for a Plan");
    await window.search("rotate signing key");
    await window.waitForQuickRow(/WP-ST-12 unit 3 · Rotate in the nightly window.*archive · SUCCESS · exact/);
    await window.leaveList("WP-ST-12.md", "signing.py");
  });

  scenario("published knowledge answers a question", async () => {
    await openSource();
    await window.startSearch("Prior Art: Ask Published Knowledge…", "Ask Published Knowledge");
    await window.search("how is a release frozen");
    await window.waitForQuickRow(/Freeze a release that is already on its way/);
    await window.leaveList("freeze-a-release.md", "signing.py");
  });

  scenario("the side bar shows the last search and the file, with what can be done", async () => {
    await openSource();
    await window.openView();
    await window.startSearch("Prior Art: Search…", "Search Prior Art");
    await window.search("E4217");
    await window.waitForQuickRow(/Signing errors/);
    await window.leaveList("keeper-tide.memory-current.json", "signing.py");
    await window.treeItem(/^Last search: E4217, 9 matches/).waitFor();
    await window.treeItem(/^memory, 3 matches/).waitFor();
    await window.openFile("deploy.sh");
    await window.treeItem(/^This file: deploy\.sh, \d+ matches/).waitFor();
    await window.screenshot("view dark");

    await window.treeAction(/^wiki: Signing errors/, "Copy");
    await until(async () => /^wiki, Signing errors \(docs\/wiki\/e42xx/.test(await window.clipboard()));

    await openSource();
    // The tree is drawn anew for another file, and a click in that moment is lost.
    await window.treeItem(/^This file: deploy\.sh/).waitFor({ state: "hidden" });
    await window.treeAction(/^wiki: Signing errors/, "Insert");
    await window.waitForEditorText(
      /# Prior art: wiki, Signing errors \(docs\/wiki\/e42xx-signing-errors\.md:10\)/,
    );
    await window.press("Control+z");

    await window.treeAction(/^wiki: Signing errors/, "Open");
    await window.waitForTab("e42xx-signing-errors.md");
    await window.runCommand("View: Show Explorer");
  });

  scenario("the tree is used by keyboard", async () => {
    await openSource();
    await window.startSearch("Prior Art: Search…", "Search Prior Art");
    await window.search("wiki: E4217");
    await window.waitForQuickRow(/Signing errors/);
    await window.leaveList("e42xx-signing-errors.md", "signing.py");
    await window.runCommand("Prior Art: Focus on Matches View");
    await window.treeItem(/^wiki: Signing errors/).waitFor();
    await window.goDownTo(/^wiki: Signing errors/);
    await window.press("Enter");
    await window.waitForTab("e42xx-signing-errors.md");
    await window.runCommand("View: Show Explorer");
  });

  scenario("the state of the stores is a page", async () => {
    await window.statusBarItem().click();
    const { text } = await window.preview(/the stores/);
    assert.match(text, /Memory: complete, 12 facts in 3 files/);
  });

  scenario("Hangul is looked up as everything else", async () => {
    await window.openFile("key-rotation.md");
    const said = await window.hover("교체", /Prior art/);
    assert.match(said, /서명 키 교체 절차/);
    await window.screenshot("hover Hangul");
  });

  scenario("a changed store is seen at the next hover", async () => {
    await openSource();
    await window.hover("E4218");
    appendFileSync(path.join(folder, ".masc/board_posts.jsonl"), newPost("E4218 is back"));
    await until(async () => /board: E4218 is back/.test(await window.hover("E4218")), 30_000);
  });

  scenario("the walkthrough opens the sample, a copy of its own, in another window", async () => {
    await window.runCommand("Welcome: Open Walkthrough...");
    await window.search("Prior Art");
    await window.waitForQuickRow(/Get Started with Prior Art/);
    await window.press("Enter");
    const sample = await window.followToWindow(() =>
      window.page.getByRole("button", { name: "Open Sample Workspace" }).click(),
    );
    await sample.ready();
    assert.equal((await sample.statusBar()).text.trim(), "34");
    await sample.openFile("signing.py");
    await sample.goTo(50);
    assert.match(await sample.hover("E4217"), /wiki: Signing errors/);
    await sample.screenshot("sample");
    await sample.page.close();
  });

  scenario("every theme shows it", async () => {
    for (const [name, theme, type] of [
      ["light", "Default Light Modern", "vs"],
      ["high contrast", "Default High Contrast", "hc-black"],
    ]) {
      server.setSettings({ ...SETTINGS, "workbench.colorTheme": theme });
      await window.page.waitForSelector(`.monaco-workbench.${type}`);
      await openSource();
      await window.openView();
      await window.startSearch("Prior Art: Search…", "Search Prior Art");
      await window.search("E4217");
      await window.waitForQuickRow(/Signing errors/);
      await window.screenshot(`search ${name}`);
      await window.leaveList("keeper-tide.memory-current.json", "signing.py");
      await window.hover("E4217");
      await window.screenshot(`hover ${name}`);
    }
  });

  function newPost(title) {
    const [line] = readFileSync(path.join(folder, ".masc/board_posts.jsonl"), "utf8").split("\n");
    const post = { ...JSON.parse(line), id: "p-00000000000000000000000000000001", title };
    return `${JSON.stringify(post)}\n`;
  }
});

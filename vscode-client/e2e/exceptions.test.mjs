/** What is not as it should be: no server yet, large, broken, several or no stores, a server that ends. */

import assert from "node:assert/strict";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import { after, before, describe, test } from "node:test";

import { languageServers, startCodeServer, temporaryFolder, until, workspace } from "./codeServer.mjs";
import { openWindow, startBrowser } from "./workbench.mjs";

const SNAPSHOT = ".masc/config/keepers/keeper-tide.memory-current.json";

/** Settings of one folder alone. */
function setInFolder(folder, settings) {
  mkdirSync(path.join(folder, ".vscode"), { recursive: true });
  writeFileSync(path.join(folder, ".vscode", "settings.json"), JSON.stringify(settings));
}

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.close());

/** A scenario in a window of its own. */
function scenario(name, serverOf, place, run) {
  test(name, async () => {
    const opened = typeof place === "function" ? place() : place;
    const window = await openWindow(browser, serverOf(), opened);
    try {
      await window.keepingFailure(name, () => run(window, opened));
    } finally {
      await window.close();
    }
  });
}

describe("with a server at hand", () => {
  let server;
  before(
    async () =>
      (server = await startCodeServer({ settings: { "priorArt.interpreter": process.env.PYTHON } })),
  );
  after(() => server?.stop());
  const current = () => server;

  scenario(
    "a workspace without a store starts nothing",
    current,
    () => ({ folder: workspace({ name: "plain", files: { "a.py": "raise E4217\n" } }) }),
    async (window) => {
      await window.openFile("a.py");
      await window.page.waitForTimeout(5000);
      assert.equal(await window.statusBarItem().count(), 0);
      assert.deepEqual(languageServers(server), []);
    },
  );

  scenario(
    "a search there says that there is nothing to search",
    current,
    () => ({ folder: workspace({ name: "plain", files: { "a.py": "raise E4217\n" } }) }),
    async (window) => {
      await window.startSearch("Prior Art: Search…", "Search Prior Art");
      await window.search("E4217");
      await window.waitForQuickRow(/There is no store here to search/);
    },
  );

  scenario(
    "a store that cannot be read is named wherever it matters",
    current,
    () => ({ folder: workspace({ from: "examples/harbour", files: { [SNAPSHOT]: "{ broken" } }) }),
    async (window) => {
      const { said } = await window.waitForStatusBar(({ icon }) => /warning/.test(icon));
      assert.match(said, /memory: \d+ facts, incomplete.*keeper-tide\.memory-current\.json/);
      await window.startSearch("Prior Art: Search…", "Search Prior Art");
      await window.search("nothing-of-this-kind");
      await window.waitForQuickRow(/Nothing found about “nothing-of-this-kind” in what could be read/);
      await window.waitForQuickRow(/memory incomplete: keeper-tide\.memory-current\.json/);
      await window.screenshot("search incomplete");
      await window.press("Escape");
      await window.statusBarItem().click();
      const { text } = await window.preview(/the stores/);
      assert.match(text, /keeper-tide\.memory-current\.json/);
    },
  );

  scenario(
    "two folders answer together, each for its own documents",
    current,
    () => {
      const harbour = workspace({ from: "examples/harbour" });
      const other = workspace({
        name: "다른 폴더",
        files: {
          "docs/wiki/quay.md": "# Quay walls\n\nE4217 is a quay wall here.\n",
          "main.py": "E4217\n",
        },
      });
      setInFolder(harbour, { "priorArt.hover.enable": false });
      const workspaceFile = path.join(path.dirname(harbour), "both.code-workspace");
      writeFileSync(workspaceFile, JSON.stringify({ folders: [{ path: harbour }, { path: other }] }));
      return { workspaceFile, harbour };
    },
    async (window, { harbour }) => {
      const { said } = await window.ready();
      assert.match(said, /harbour wiki: 6 pages.*다른 폴더 wiki: 1 page/);
      await window.openFile("main.py");
      const own = await window.hover("E4217");
      assert.match(own, /Quay walls/);
      assert.doesNotMatch(own, /Signing errors/);
      await window.startSearch("Prior Art: Search…", "Search Prior Art");
      await window.search("wiki: E4217");
      await window.waitForQuickRow(/Quay walls/);
      await window.waitForQuickRow(/Signing errors/);
      await window.press("Escape");
      await window.waitForEditor("main.py");

      await window.openFile("signing.py");
      await window.goTo(50);
      await window.restOn("E4217");
      await window.page.waitForTimeout(1500);
      assert.deepEqual(await window.hovers(), []);
      setInFolder(harbour, { "priorArt.hover.enable": true });
      await window.hover("E4217", /Signing errors/);
    },
  );

  scenario(
    "a server that ends is started again, but not for ever, and comes back when asked",
    current,
    () => ({ folder: workspace({ from: "examples/harbour" }) }),
    async (window) => {
      await window.ready();
      await window.openFile("signing.py");
      await window.goTo(50);
      for (let crash = 1; crash <= 4; crash += 1) {
        await killServer();
        await window.press("Escape");
        assert.match(await window.hover("E4217"), /Signing errors/);
      }
      await killServer();
      await window.notification(/ended by itself too often/);
      await window.waitForStatusBar(({ icon }) => /error/.test(icon));
      await window.screenshot("server given up");
      await window.runCommand("Prior Art: Restart Server");
      await window.ready();
      assert.match(await window.hover("E4217"), /Signing errors/);
    },
  );

  scenario(
    "while a large store is read for the first time, the status bar says how far it is",
    current,
    () => ({ folder: workspace({ name: "large", files: largeWiki() }) }),
    async (window) => {
      const { text, said } = await window.waitForStatusBar(({ text }) => /^\s*\d+ %/.test(text), 90_000);
      assert.match(text, /\d+ %/);
      assert.match(said, /Indexing, \d+ %: answers come from what is read so far/);
      await window.screenshot("indexing");
      const done = await window.waitForStatusBar(({ icon }) => /book/.test(icon), 120_000);
      assert.match(done.said, /wiki: 3000 pages/);
    },
  );

  async function killServer() {
    const pids = await until(() => {
      const found = languageServers(server);
      return found.length > 0 && found;
    });
    for (const pid of pids) {
      process.kill(pid, "SIGKILL");
    }
  }
});

describe("without a server", () => {
  let server;
  before(async () => (server = await startCodeServer()));
  after(() => server?.stop());

  scenario(
    "the first start installs the one that is in the package",
    () => server,
    () => ({ folder: workspace({ from: "examples/harbour", name: "항구 harbour" }) }),
    async (window) => {
      await window.notification(/Installing prior-art-lsp|Making a Python environment/);
      await window.screenshot("installing");
      await window.waitForStatusBar(({ icon, text }) => /book/.test(icon) && /34/.test(text), 240_000);
      await window.openFile("signing.py");
      await window.goTo(50);
      assert.match(await window.hover("E4217"), /Signing errors/);
      const made = readdirSync(server.globalStorage).filter((name) => name.startsWith("environment-"));
      assert.equal(made.length, 1, made.join(", "));
      assert.ok(existsSync(path.join(server.globalStorage, made[0], "complete.json")));
    },
  );

  scenario(
    "a server that is damaged says what is missing, and is installed again when it is restarted",
    () => server,
    () => ({ folder: workspace({ from: "examples/harbour" }) }),
    async (window) => {
      await window.ready();
      const [environment] = readdirSync(server.globalStorage).filter((name) =>
        name.startsWith("environment-"),
      );
      const lib = path.join(server.globalStorage, environment, "lib");
      for (const python of readdirSync(lib)) {
        rmSync(path.join(lib, python, "site-packages", "pygls"), { recursive: true });
      }
      await window.runCommand("Prior Art: Restart Server");
      await window.notification(/cannot be started: ModuleNotFoundError: No module named 'pygls/);
      await window.waitForStatusBar(({ icon }) => /error/.test(icon));
      await window.screenshot("server damaged");
      await window.runCommand("Prior Art: Restart Server");
      await window.ready(240_000);
    },
  );
});

describe("with a Python that cannot be used", () => {
  let server;
  before(async () => {
    server = await startCodeServer({ settings: { "priorArt.interpreter": "/nowhere/bin/python" } });
  });
  after(() => server?.stop());

  scenario(
    "what is wrong with the setting is said once, and put right by changing it",
    () => server,
    () => ({ folder: workspace({ from: "examples/harbour" }) }),
    async (window) => {
      await window.notification(
        /priorArt\.interpreter, \/nowhere\/bin\/python, cannot be used: there is no such program/,
      );
      await window.waitForStatusBar(({ icon }) => /error/.test(icon));
      await window.screenshot("wrong interpreter");
      await until(() => {
        // While the editor is still starting it may miss that the file has changed.
        server.setSettings({ "priorArt.interpreter": process.env.PYTHON });
        return window.ready(10_000);
      }, 60_000);
    },
  );
});

describe("with an old Python alone", () => {
  let server;
  before(async () => {
    const bin = temporaryFolder();
    const old = path.join(bin, "python3");
    // What a Python 3.8 answers to any program: it runs, and says which one it is.
    writeFileSync(
      old,
      `#!/bin/sh\nprintf 'prior-art-probe:{"executable":"${old}","version":[3,8,10],"server":null,"venv":true,"ensurepip":true,"pip":true}\\n'\n`,
    );
    chmodSync(old, 0o755);
    copyFileSync(old, path.join(bin, "python"));
    // VSCODE_CLI keeps it from asking a login shell for another PATH.
    server = await startCodeServer({ env: { PATH: `${bin}:/usr/bin:/bin`, VSCODE_CLI: "1" } });
  });
  after(() => server?.stop());

  scenario(
    "it says which version is needed",
    () => server,
    () => ({ folder: workspace({ from: "examples/harbour" }) }),
    async (window) => {
      await window.notification(/No Python 3\.10 or newer was found \(found: python3, it is Python 3\.8\.10/);
    },
  );
});

describe("in a workspace that is not trusted", () => {
  let server;
  before(async () => {
    server = await startCodeServer({
      settings: { "priorArt.interpreter": process.env.PYTHON },
      asksForTrust: true,
    });
  });
  after(() => server?.stop());

  scenario(
    "a Python of the workspace's own is run only once the workspace is trusted",
    () => server,
    () => {
      const folder = workspace({ from: "examples/harbour" });
      const itsPython = path.join(folder, "its python");
      const ranMark = path.join(folder, "it ran");
      writeFileSync(itsPython, `#!/bin/sh\n: > "${ranMark}"\nexec "${process.env.PYTHON}" "$@"\n`);
      chmodSync(itsPython, 0o755);
      setInFolder(folder, { "priorArt.interpreter": itsPython });
      return { folder, ranMark };
    },
    async (window, { ranMark }) => {
      await window.ready();
      await window.openFile("signing.py");
      await window.goTo(50);
      assert.match(await window.hover("E4217"), /Signing errors/);
      assert.ok(!existsSync(ranMark), "it ran what only the workspace names");
      await window.trust();
      await until(() => existsSync(ranMark));
      await window.ready();
      await window.openFile("signing.py");
      assert.match(await window.hover("E4217"), /Signing errors/);
    },
  );
});

/** 3,000 pages of different words, some 60 MB: more than is read at once. */
function largeWiki() {
  const files = {};
  for (let page = 0; page < 3000; page += 1) {
    const words = Array.from(
      { length: 2500 },
      (_, word) => `w${((page * 7919 + word * 104729) % 1_000_003).toString(36)}`,
    );
    files[`docs/wiki/${page}.md`] = `# Page ${page}\n\n${words.join(" ")}\n`;
  }
  return files;
}

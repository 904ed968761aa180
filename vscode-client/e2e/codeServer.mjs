/** A real VS Code for the browser with the built extension in it, in folders of its own. */

import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export const CLIENT = path.dirname(import.meta.dirname);
export const REPOSITORY = path.dirname(CLIENT);
export const VSIX = path.join(CLIENT, "dist", "prior-art.vsix");
/** With code-server and playwright-core in it; `tools/extension.py` names it. */
export const MODULES = required("CODE_SERVER_MODULES");
const ENTRY = path.join(MODULES, "code-server", "out", "node", "entry.js");

const SETTINGS = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.colorTheme": "Default Dark Modern",
  "security.workspace.trust.startupPrompt": "never",
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "chat.disableAIFeatures": true,
  "git.enabled": false,
  "npm.fetchOnlinePackageInfo": false,
  "editor.minimap.enabled": false,
  "editor.hover.delay": 100,
  "editor.lightbulb.enabled": "on",
  "files.simpleDialog.enable": true,
};

/**
 * Start one with the extension installed. `settings` are the person's, `env` is added to the environment;
 * every workspace is trusted unless `asksForTrust`.
 */
export async function startCodeServer({ settings = {}, env = {}, asksForTrust = false } = {}) {
  const place = temporaryFolder();
  const home = path.join(place, "home");
  const user = path.join(place, "user");
  mkdirSync(home);
  const writeSettings = (more) => writeSettingsOf(user, { ...SETTINGS, ...settings, ...more });
  writeSettings({});
  const folders = ["--user-data-dir", user, "--extensions-dir", path.join(place, "extensions")];
  const common = [ENTRY, "--config", path.join(place, "config.yaml"), ...folders];
  const environment = {
    ...process.env,
    HOME: home,
    EXTENSIONS_GALLERY: '{"serviceUrl":""}',
    PRIOR_ART_CACHE: path.join(place, "cache"),
    ...env,
  };
  const installed = spawnSync(process.execPath, [...common, "--install-extension", VSIX], {
    env: environment,
    encoding: "utf8",
  });
  if (installed.status !== 0) {
    throw new Error(`the extension could not be installed:\n${installed.stdout}${installed.stderr}`);
  }
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [
      ...common,
      ...["--bind-addr", `127.0.0.1:${port}`, "--auth", "none", "--reconnection-grace-time", "1"],
      ...[
        "--disable-telemetry",
        "--disable-update-check",
        "--disable-getting-started-override",
        ...(asksForTrust ? [] : ["--disable-workspace-trust"]),
      ],
    ],
    { env: environment, stdio: ["ignore", "pipe", "pipe"], detached: true },
  );
  let output = "";
  child.stdout.on("data", (text) => (output += text));
  child.stderr.on("data", (text) => (output += text));
  const origin = `http://127.0.0.1:${port}`;
  await until(
    async () => (await fetch(`${origin}/healthz`)).ok,
    30_000,
    () => `code-server did not start:\n${output}`,
  );
  return {
    origin,
    place,
    output: () => output,
    /** Where the extension keeps what is its own. */
    globalStorage: path.join(user, "User", "globalStorage", "prior-art-lsp.prior-art"),
    setSettings: writeSettings,
    async stop() {
      process.kill(-child.pid, "SIGTERM");
      await until(() => !isGroupAlive(child.pid), 10_000).catch(() => process.kill(-child.pid, "SIGKILL"));
      await until(() => languageServers({ place }).length === 0);
    },
  };
}

/** What belongs to a machine, as the path of a Python does, is read from a file of its own. */
function writeSettingsOf(user, settings) {
  for (const kind of ["User", "Machine"]) {
    mkdirSync(path.join(user, kind), { recursive: true });
    writeFileSync(path.join(user, kind, "settings.json"), JSON.stringify(settings));
  }
}

/** The processes of the language servers below a code-server's folder. */
export function languageServers({ place }) {
  const read = (pid, file) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, "utf8");
    } catch {
      // It has ended meanwhile.
      return "";
    }
  };
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => read(pid, "cmdline").includes("-m\0lsp_server\0serve"))
    .filter((pid) => read(pid, "environ").includes(place))
    .map(Number);
}

/** A copy of a folder, or an empty one, in a place of its own, with files added. */
export function workspace({ from, name = "harbour", files = {} } = {}) {
  const folder = path.join(temporaryFolder(), name);
  if (from === undefined) {
    mkdirSync(folder, { recursive: true });
  } else {
    cpSync(path.join(REPOSITORY, from), folder, { recursive: true });
  }
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  return folder;
}

/** A new folder that goes with this process; its path is as odd as people's are. */
export function temporaryFolder() {
  const folder = mkdtempSync(path.join(tmpdir(), "prior art 서버 "));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Wait until something is true, an error counting as not yet. */
export async function until(isTrue, milliseconds = 20_000, message = () => `timed out: ${isTrue}`) {
  const end = Date.now() + milliseconds;
  for (;;) {
    let last;
    try {
      const value = await isTrue();
      if (value) {
        return value;
      }
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) {
      throw new Error(message(), { cause: last });
    }
    await sleep(100);
  }
}

function required(name) {
  const value = process.env[name];
  if (value === undefined || value === "") {
    throw new Error(`${name} is not set; run the tests by: python tools/extension.py test`);
  }
  return value;
}

function isGroupAlive(pid) {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** A virtual environment of the extension's own, with the server of the wheel that ships with it. */

import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import * as path from "node:path";

import { SetUpError, type Failure } from "./failures";
import { ifUnlocked, withLock } from "./lock";
import { probe, type Python } from "./probe";
import { run, type Finished } from "./run";

export interface Wheel {
  readonly file: string;
  readonly version: string;
  /** Hexadecimal. */
  readonly sha256: string;
}

export interface Installation {
  /** The extension's storage; environments are folders in it. */
  readonly storage: string;
  readonly python: Python;
  readonly wheel: Wheel;
  readonly onStep: (step: string) => void;
  readonly log: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

const PREFIX = "environment-";
const LOCK = ".lock";
/** Written last: an environment without it is half made. Its time says when a server was last started there. */
const MARKER = "complete.json";
/** A window that has not been closed since may still run the server of an earlier wheel. */
const KEPT_MILLISECONDS = 7 * 24 * 60 * 60 * 1000;

/**
 * The environment's Python, making the environment where there is none.
 *
 * @throws SetUpError
 */
export async function privateEnvironment(installation: Installation): Promise<Python> {
  const { storage, python, wheel, onStep, signal } = installation;
  const folder = path.join(storage, environmentName(python, wheel));
  try {
    const finished = await usable(folder);
    if (finished !== undefined) {
      return finished;
    }
    await mkdir(storage, { recursive: true });
    const onWait = (): void => {
      onStep("Waiting for another window, which installs the server");
    };
    return await withLock(folder + LOCK, { signal, onWait }, async () => {
      const madeMeanwhile = await usable(folder);
      if (madeMeanwhile !== undefined) {
        return madeMeanwhile;
      }
      const made = await make(folder, installation);
      await removeOthers(storage, wheel);
      return made;
    });
  } catch (error) {
    throw error instanceof SetUpError ? error : new SetUpError(failureOfSystem(error, folder, signal));
  }
}

/** Have the next start make the environment again; what still runs there goes on. */
export async function discardEnvironment(storage: string, python: Python, wheel: Wheel): Promise<void> {
  await rm(path.join(storage, environmentName(python, wheel), MARKER), { force: true });
}

/** Another wheel, or another Python, has another environment. */
export function environmentName(python: Python, wheel: Wheel): string {
  return `${prefixOf(wheel)}py${python.version.slice(0, 2).join(".")}`;
}

/** Where an environment keeps its Python. */
export function pythonOf(environment: string, platform: NodeJS.Platform = process.platform): string {
  return platform === "win32"
    ? path.win32.join(environment, "Scripts", "python.exe")
    : path.join(environment, "bin", "python");
}

function prefixOf(wheel: Wheel): string {
  return `${PREFIX}${wheel.sha256.slice(0, 12)}-`;
}

/** The Python of a finished environment that still runs; the one it was made with may be gone. */
async function usable(folder: string): Promise<Python | undefined> {
  const marker = path.join(folder, MARKER);
  if (!existsSync(marker)) {
    return undefined;
  }
  const found = await probe([pythonOf(folder)], path.dirname(folder));
  if (found.kind === "broken" && found.timedOut) {
    // A busy machine is no reason to remove what another window may be running.
    throw new SetUpError({ kind: "other", step: "Starting Python", reason: found.reason });
  }
  if (found.kind !== "python" || found.python.server === undefined) {
    return undefined;
  }
  const now = new Date();
  await utimes(marker, now, now).catch(() => undefined);
  return found.python;
}

async function make(folder: string, installation: Installation): Promise<Python> {
  const { python, wheel } = installation;
  const missing = missingPart(python, isDebian());
  if (missing !== undefined) {
    throw new SetUpError(missing);
  }
  await rm(folder, { recursive: true, force: true });
  try {
    await install(folder, installation);
    const found = await probe([pythonOf(folder)], installation.storage);
    if (found.kind !== "python" || found.python.server === undefined) {
      const reason = "prior-art-lsp is not in it";
      throw new SetUpError({ kind: "other", step: "Starting the new environment", reason });
    }
    await writeFile(path.join(folder, MARKER), JSON.stringify({ wheel: wheel.sha256 }));
    return found.python;
  } catch (error) {
    // It may be what fills the disk; where it refuses to go, the next attempt removes it.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
}

async function install(
  folder: string,
  { storage, python, wheel, onStep, log, signal }: Installation,
): Promise<void> {
  // A system's folder for temporary files may be too small for what pip unpacks.
  const temporary = path.join(folder, "tmp");
  const variables = { TMPDIR: temporary, TEMP: temporary, TMP: temporary };
  await mkdir(temporary, { recursive: true });
  const step = async (what: string, command: readonly string[]): Promise<void> => {
    signal?.throwIfAborted();
    onStep(what);
    log(command.join(" "));
    const finished = await run(command, { cwd: storage, signal, onLine: log, variables });
    if (finished.exitCode !== 0) {
      throw new SetUpError(failureOf(what, finished, { folder, python, signal }));
    }
  };
  const own = pythonOf(folder);
  // Debian keeps ensurepip in a package of its own; the pip outside can stand in for it.
  const [venv, pip] = python.hasEnsurepip
    ? [["venv"], [own, "-m", "pip"]]
    : [
        ["venv", "--without-pip"],
        [python.executable, "-m", "pip", "--python", own],
      ];
  await step("Making a Python environment", [python.executable, "-m", ...venv, folder]);
  await step(`Installing prior-art-lsp ${wheel.version}`, [
    ...pip,
    "install",
    "--disable-pip-version-check",
    "--no-input",
    // People who set PIP_USER do not mean this environment.
    "--no-user",
    `${wheel.file}[semantic]`,
  ]);
  await rm(temporary, { recursive: true, force: true });
}

/** Environments of other wheels, unless another window is making one or may be running one. */
async function removeOthers(storage: string, wheel: Wheel): Promise<void> {
  const names = await readdir(storage);
  const others = names.filter(
    (name) => name.startsWith(PREFIX) && !name.startsWith(prefixOf(wheel)) && !name.endsWith(LOCK),
  );
  await Promise.allSettled(
    others.map((name) => {
      const folder = path.join(storage, name);
      return ifUnlocked(folder + LOCK, async () => {
        if (await wasUsedLately(folder)) {
          return;
        }
        // Wholly or not at all: Windows moves no folder of which a program runs.
        const moved = `${folder}.old`;
        await rename(folder, moved);
        await rm(moved, { recursive: true, force: true });
      });
    }),
  );
}

async function wasUsedLately(folder: string): Promise<boolean> {
  const marker = await stat(path.join(folder, MARKER)).catch(() => undefined);
  return marker !== undefined && Date.now() - marker.mtimeMs < KEPT_MILLISECONDS;
}

export interface Circumstances {
  /** The environment's. */
  readonly folder: string;
  /** The one that the environment is made with. */
  readonly python: Python;
  readonly signal: AbortSignal | undefined;
}

const NO_SPACE =
  /No space left on device|ENOSPC|Errno 28|Disk quota exceeded|not enough space|WinError 112/iu;
const NO_VENV = /ensurepip is not available|No module named '?(?:venv|ensurepip)/iu;
const NO_PIP = /No module named '?pip\b|no such option: --python/iu;
const OFFLINE = new RegExp(
  [
    "after connection broken by",
    "Max retries exceeded",
    "Failed to (?:establish|connect|resolve)",
    "Unable to fetch",
    "NewConnectionError|ConnectTimeout|ProxyError|ReadTimeout",
    "Connection (?:refused|reset|aborted)",
    "Network is unreachable|Temporary failure in name resolution|getaddrinfo failed",
    "Read timed out|CERTIFICATE_VERIFY_FAILED",
  ].join("|"),
  "iu",
);
/** All that pip says of an index that it could not reach when it was told not to try again. */
const NO_VERSION_AT_ALL = "(from versions: none)";
const OTHER_PYTHON = /require a different python version/iu;
const NO_PERMISSION = /Permission denied|Errno 13|Read-only file system|WinError 5\b/iu;
const NO_WHEEL = /No matching distribution found for ([^\s;]+)|Failed building wheel for ([^\s;]+)/u;

/** What a Python lacks for making an environment. */
export function missingPart(
  { executable, version, hasVenv, hasEnsurepip, hasPip }: Python,
  onDebian: boolean,
): Failure | undefined {
  if (hasVenv && (hasEnsurepip || hasPip)) {
    return undefined;
  }
  return hasVenv && !onDebian
    ? { kind: "noPip", python: executable }
    : { kind: "noVenv", python: executable, version, isDebian: onDebian };
}

/** What an unsuccessful step means, by what it wrote. */
export function failureOf(
  step: string,
  finished: Finished,
  { folder, python, signal }: Circumstances,
): Failure {
  const said = finished.output;
  if (signal?.aborted === true) {
    return { kind: "cancelled" };
  }
  if (NO_SPACE.test(said)) {
    return { kind: "noSpace", folder };
  }
  if (NO_VENV.test(said)) {
    return { kind: "noVenv", python: python.executable, version: python.version, isDebian: isDebian() };
  }
  if (NO_PIP.test(said)) {
    return { kind: "noPip", python: python.executable };
  }
  // Without an index pip ends by finding no version at all, so what it said on the way there comes first.
  if (OFFLINE.test(said) || (said.includes(NO_VERSION_AT_ALL) && !OTHER_PYTHON.test(said))) {
    return { kind: "offline" };
  }
  const [, missing, unbuilt] = NO_WHEEL.exec(said) ?? [];
  const requirement = missing ?? unbuilt;
  if (requirement !== undefined) {
    return { kind: "noWheel", version: python.version, requirement };
  }
  if (NO_PERMISSION.test(said)) {
    return { kind: "noPermission", folder };
  }
  return { kind: "other", step, reason: tellingLine(said) ?? whyEnded(finished) };
}

/** What an exception of the file system, or of waiting, means. */
function failureOfSystem(error: unknown, folder: string, signal: AbortSignal | undefined): Failure {
  if (signal?.aborted === true) {
    return { kind: "cancelled" };
  }
  const { code = "", message } = error as NodeJS.ErrnoException;
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return { kind: "noSpace", folder };
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return { kind: "noPermission", folder };
    default:
      return { kind: "other", step: "Installing the server", reason: message };
  }
}

/** Debian and its kin keep parts of Python in packages of their own. */
function isDebian(): boolean {
  return existsSync("/etc/debian_version");
}

function tellingLine(said: string): string | undefined {
  const lines = said
    .split(/\r\n|\n|\r/u)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return lines.findLast((line) => /^error\b/iu.test(line)) ?? lines.at(-1);
}

function whyEnded({ exitCode, errorCode }: Finished): string {
  return errorCode ?? `exit code ${String(exitCode)}`;
}

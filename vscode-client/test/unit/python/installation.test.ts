/** What can go amiss on the way to a private environment, with stand-ins for Python where the real one is too healthy. */

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";

import { chooseServer, type Choice } from "../../../src/python/chooseServer";
import { SetUpError, type Failure } from "../../../src/python/failures";
import {
  environmentName,
  failureOf,
  privateEnvironment,
  type Installation,
} from "../../../src/python/privateEnvironment";
import { probe, type Python } from "../../../src/python/probe";
import { answer, fakePython, oddFolder, tinyWheel } from "./fakes";

const MINUTE = 60_000;
const WHEEL = {
  file: "/x/prior_art_lsp-9.9.9-py3-none-any.whl",
  version: "9.9.9",
  sha256: "0123456789abcdef",
};
/** What a stand-in does when it is asked for a virtual environment: it becomes that environment's Python. */
const MAKES_ITSELF = `for last in "$@"; do :; done; mkdir -p "$last/bin"; cp "$0" "$last/bin/python"`;

beforeEach(() => {
  // The machine's own settings for pip stay out, and so does every index.
  vi.unstubAllEnvs();
  vi.stubEnv("PIP_CONFIG_FILE", "/dev/null");
  vi.stubEnv("PIP_FIND_LINKS", undefined);
  vi.stubEnv("PIP_NO_INDEX", "1");
});

/** A Python of which venv and pip do what a script says, and which has the server once it is in an environment. */
function standIn(scripts: { venv?: string; pip?: string }): Python {
  const executable = fakePython(`
    case "$1 $2" in
      "-c "*) ${answer([3, 12, 4], { server: "9.9.9" })} ;;
      "-m venv") ${scripts.venv ?? MAKES_ITSELF} ;;
      *) ${scripts.pip ?? ":"} ;;
    esac`);
  return {
    command: [executable],
    executable,
    version: [3, 12, 4],
    server: undefined,
    hasVenv: true,
    hasEnsurepip: true,
    hasPip: true,
  };
}

async function realPython(): Promise<Python> {
  const found = await probe(["python3"], oddFolder());
  if (found.kind !== "python") {
    throw new Error("The tests need a Python 3.10 or newer as python3 on the PATH.");
  }
  return found.python;
}

function installation(python: Python, more: Partial<Installation> = {}) {
  const steps: string[] = [];
  const logged: string[] = [];
  return {
    storage: oddFolder(),
    python,
    wheel: WHEEL,
    onStep: (step: string) => void steps.push(step),
    log: (line: string) => void logged.push(line),
    steps,
    logged,
    ...more,
  };
}

async function failureFrom(work: Promise<unknown>): Promise<Failure> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SetUpError);
  return (error as SetUpError).failure;
}

describe("a failed installation", () => {
  test.each<[string, { venv?: string; pip?: string }, Failure["kind"]]>([
    [
      "without space",
      {
        pip: `echo 'ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device' >&2; exit 1`,
      },
      "noSpace",
    ],
    [
      "without space for the environment",
      { venv: `${MAKES_ITSELF}; echo 'Disk quota exceeded' >&2; exit 1` },
      "noSpace",
    ],
    ["that ends without a word", { pip: "exit 3" }, "other"],
  ])("%s is told, and leaves nothing that fills the disk", async (_name, scripts, kind) => {
    const asked = installation(standIn(scripts));
    expect((await failureFrom(privateEnvironment(asked))).kind).toBe(kind);
    expect(readdirSync(asked.storage)).toEqual([]);
  });

  test("is followed by one that succeeds", async () => {
    const flag = path.join(oddFolder(), "second time");
    const python = standIn({ pip: `[ -e "${flag}" ] || { : > "${flag}"; exit 1; }` });
    const asked = installation(python);
    expect((await failureFrom(privateEnvironment(asked))).kind).toBe("other");
    expect((await privateEnvironment(asked)).server).toBe("9.9.9");
  });

  test("that is cancelled while pip works ends at once and leaves nothing", async () => {
    const cancelled = new AbortController();
    const asked = installation(standIn({ pip: "echo working; sleep 60" }), { signal: cancelled.signal });
    const started = Date.now();
    const log = (line: string): void => {
      if (line === "working") {
        cancelled.abort();
      }
    };
    expect(await failureFrom(privateEnvironment({ ...asked, log }))).toEqual({ kind: "cancelled" });
    expect(Date.now() - started).toBeLessThan(20_000);
    expect(readdirSync(asked.storage)).toEqual([]);
  });
});

describe("environments beside the new one", () => {
  test("stay where they are of the same wheel, or being made, or none", async () => {
    const asked = installation(standIn({}));
    const sameWheel = environmentName({ ...asked.python, version: [3, 10, 1] }, WHEEL);
    const beingMade = "environment-aaaaaaaaaaaa-py3.12";
    const abandoned = "environment-bbbbbbbbbbbb-py3.12";
    for (const name of [sameWheel, beingMade, abandoned, "notes"]) {
      mkdirSync(path.join(asked.storage, name));
    }
    writeFileSync(path.join(asked.storage, `${beingMade}.lock`), String(process.pid));
    // No process has this number: Linux gives out lower ones only.
    writeFileSync(path.join(asked.storage, `${abandoned}.lock`), "99999999");
    await privateEnvironment(asked);
    expect(readdirSync(asked.storage).sort()).toEqual(
      [environmentName(asked.python, WHEEL), sameWheel, beingMade, `${beingMade}.lock`, "notes"].sort(),
    );
  });
});

describe("pip", () => {
  test("unpacks in the environment's folder, which is gone afterwards", async () => {
    const note = path.join(oddFolder(), "note");
    const python = standIn({ pip: `printf '%s' "$TMPDIR" > "${note}"; [ -d "$TMPDIR" ]` });
    const asked = installation(python);
    await privateEnvironment(asked);
    const folder = path.join(asked.storage, environmentName(python, WHEEL));
    expect(readFileSync(note, "utf8")).toBe(path.join(folder, "tmp"));
    expect(existsSync(path.join(folder, "tmp"))).toBe(false);
  });

  test(
    "of the outer Python stands in where ensurepip is missing, whatever its person's settings and the wheel's path are",
    async () => {
      vi.stubEnv("PIP_USER", "1");
      const wheel = tinyWheel();
      const file = path.join(oddFolder(), "100 % #1", path.basename(wheel.file));
      mkdirSync(path.dirname(file));
      copyFileSync(wheel.file, file);
      const python = { ...(await realPython()), hasEnsurepip: false };
      const asked = installation(python, { wheel: { ...wheel, file } });
      const made = await privateEnvironment(asked);
      expect(made.server).toBe("9.9.9");
      expect(made.executable.startsWith(asked.storage)).toBe(true);
      expect(made.hasPip).toBe(false);
    },
    2 * MINUTE,
  );

  test(
    "that reaches no index is offline, tried again or not",
    async () => {
      const wheel = tinyWheel();
      vi.stubEnv("PIP_NO_INDEX", undefined);
      vi.stubEnv("PIP_EXTRA_INDEX_URL", undefined);
      // Nothing listens on port 9 of this machine.
      vi.stubEnv("PIP_INDEX_URL", "http://127.0.0.1:9/simple");
      for (const retries of ["0", "1"]) {
        vi.stubEnv("PIP_RETRIES", retries);
        const asked = installation(await realPython(), {
          wheel: { ...wheel, file: "a-name-that-nobody-has" },
        });
        expect(await failureFrom(privateEnvironment(asked))).toEqual({ kind: "offline" });
      }
    },
    2 * MINUTE,
  );

  test.each<[string, Failure["kind"]]>([
    ["Failed to connect to index.example while fetching https://index.example/simple/numpy/", "offline"],
    [
      "ERROR: Could not find a version that satisfies the requirement x (from versions: none)\nERROR: No matching distribution found for x",
      "offline",
    ],
    [
      "ERROR: Ignored the following versions that require a different python version: 1.0 Requires-Python >=3.12\nERROR: Could not find a version that satisfies the requirement x (from versions: none)\nERROR: No matching distribution found for x",
      "noWheel",
    ],
    ["ERROR: Failed building wheel for stringzilla", "noWheel"],
    ["no such option: --python", "noPip"],
    ["OSError: [Errno 30] Read-only file system: '/f'", "noPermission"],
  ])("that says %j has met %s", (output, kind) => {
    const circumstances = { folder: "/f", python: standIn({}), signal: undefined };
    expect(failureOf("Step", { exitCode: 1, stdout: "", output }, circumstances).kind).toBe(kind);
  });
});

describe("a server that is installed already", () => {
  function choice(python: string, log: (line: string) => void): Choice {
    return {
      wishes: {
        interpreter: python,
        workspaceFolder: undefined,
        untrustedFolders: [],
        activeInterpreter: () => Promise.resolve(undefined),
      },
      storage: oddFolder(),
      wheel: WHEEL,
      oldestServer: "0.2.0",
      onStep: () => undefined,
      log,
    };
  }

  test("is left alone when it is too old, which the log says", async () => {
    // The answer names the program itself, and stands between the script's own quotes.
    const itself = path.join(mkdtempSync(path.join(tmpdir(), "prior art ")), "python");
    const inside = answer([3, 12, 4], { server: "9.9.9" });
    const outside = answer([3, 12, 4], { server: "0.1.9", executable: itself });
    const script = `case "$1 $2" in
      "-c "*) case "$0" in */environment-*) ${inside} ;; *) ${outside} ;; esac ;;
      "-m venv") ${MAKES_ITSELF} ;;
    esac`;
    copyFileSync(fakePython(script), itself);
    const logged: string[] = [];
    const chosen = await chooseServer(choice(itself, (line) => logged.push(line)));
    expect(chosen).toMatchObject({ origin: "private", version: "9.9.9" });
    expect(logged).toContain("its prior-art-lsp 0.1.9 is older than 0.2.0 and is left alone");
  });

  test("runs in a folder of the extension's, where no module of a workspace is found", async () => {
    const asked = choice(fakePython(answer([3, 10, 0], { server: "0.2.0" })), () => undefined);
    expect(await chooseServer(asked)).toMatchObject({ origin: "interpreter", cwd: asked.storage });
  });
});

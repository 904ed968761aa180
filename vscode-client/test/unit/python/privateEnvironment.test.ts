import { existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";

import { chooseServer } from "../../../src/python/chooseServer";
import { messageOf, SetUpError, type Failure } from "../../../src/python/failures";
import {
  discardEnvironment,
  environmentName,
  failureOf,
  missingPart,
  privateEnvironment,
  pythonOf,
  type Installation,
  type Wheel,
} from "../../../src/python/privateEnvironment";
import { probe, type Python } from "../../../src/python/probe";
import { answer, fakePython, oddFolder, tinyWheel } from "./fakes";

const MINUTE = 60_000;
const LONG_AGO = new Date(Date.now() - 30 * 24 * 60 * MINUTE);
let python: Python;
let wheel: Wheel;

beforeAll(async () => {
  const found = await probe(["python3"], oddFolder());
  if (found.kind !== "python") {
    throw new Error("the tests need python3 on the PATH");
  }
  python = found.python;
  wheel = tinyWheel();
  // Nothing here may depend on a package index.
  vi.stubEnv("PIP_NO_INDEX", "1");
});
afterEach(() => {
  vi.stubEnv("PIP_NO_INDEX", "1");
});

function installation(more: Partial<Installation> = {}): Installation & { steps: string[] } {
  const steps: string[] = [];
  return {
    storage: oddFolder(),
    python,
    wheel,
    onStep: (step) => steps.push(step),
    log: () => undefined,
    steps,
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

describe("a private environment", () => {
  test(
    "is made once, used again, and made again when it is half made or broken",
    async () => {
      const first = installation();
      const made = await privateEnvironment(first);
      expect(made.server).toBe("9.9.9");
      expect(first.steps).toEqual(["Making a Python environment", "Installing prior-art-lsp 9.9.9"]);
      const folder = path.join(first.storage, environmentName(python, wheel));
      expect(made.executable.startsWith(first.storage)).toBe(true);

      const marker = path.join(folder, "complete.json");
      utimesSync(marker, LONG_AGO, LONG_AGO);
      const second = installation({ storage: first.storage });
      expect((await privateEnvironment(second)).executable).toBe(made.executable);
      expect(second.steps).toEqual([]);
      expect(statSync(marker).mtimeMs).toBeGreaterThan(LONG_AGO.getTime());

      await discardEnvironment(first.storage, python, wheel);
      const third = installation({ storage: first.storage });
      await privateEnvironment(third);
      expect(third.steps).toHaveLength(2);

      rmSync(pythonOf(folder));
      const fourth = installation({ storage: first.storage });
      await privateEnvironment(fourth);
      expect(fourth.steps).toHaveLength(2);
    },
    4 * MINUTE,
  );

  test(
    "of an earlier wheel goes when a new one is there, but not from under a window that may run it",
    async () => {
      const { storage } = installation();
      const [halfMade, unused, used] = ["000000000000", "111111111111", "222222222222"].map((hash) => {
        const folder = path.join(storage, `environment-${hash}-py3.9`);
        mkdirSync(folder);
        return folder;
      }) as [string, string, string];
      writeFileSync(path.join(unused, "complete.json"), "{}");
      utimesSync(path.join(unused, "complete.json"), LONG_AGO, LONG_AGO);
      writeFileSync(path.join(used, "complete.json"), "{}");
      mkdirSync(path.join(storage, "something else"));
      await privateEnvironment(installation({ storage }));
      expect(existsSync(halfMade)).toBe(false);
      expect(readdirSync(storage).sort()).toEqual(
        [environmentName(python, wheel), path.basename(used), "something else"].sort(),
      );
    },
    2 * MINUTE,
  );

  test(
    "is made by one window while another waits",
    async () => {
      const one = installation();
      const other = installation({ storage: one.storage });
      const [first, second] = await Promise.all([privateEnvironment(one), privateEnvironment(other)]);
      expect(first.executable).toBe(second.executable);
      const steps = [...one.steps, ...other.steps];
      expect(steps.filter((step) => !step.startsWith("Waiting for another window"))).toHaveLength(2);
      expect(steps).toHaveLength(3);
    },
    2 * MINUTE,
  );

  test(
    "is not held up by a lock whose process is gone",
    async () => {
      const { storage } = installation();
      // The highest number a process may have on Linux is below this.
      writeFileSync(path.join(storage, `${environmentName(python, wheel)}.lock`), "99999999");
      expect((await privateEnvironment(installation({ storage }))).server).toBe("9.9.9");
    },
    2 * MINUTE,
  );

  test("waits for a lock whose process lives, until somebody cancels", async () => {
    const { storage } = installation();
    writeFileSync(path.join(storage, `${environmentName(python, wheel)}.lock`), String(process.ppid));
    const cancelled = new AbortController();
    const work = failureFrom(privateEnvironment(installation({ storage, signal: cancelled.signal })));
    setTimeout(() => cancelled.abort(), 600);
    expect(await work).toEqual({ kind: "cancelled" });
  });

  test("stops in the middle when somebody cancels, and leaves nothing that looks finished", async () => {
    const cancelled = new AbortController();
    const asked = installation({ signal: cancelled.signal, onStep: () => cancelled.abort() });
    expect(await failureFrom(privateEnvironment(asked))).toEqual({ kind: "cancelled" });
    const folder = path.join(asked.storage, environmentName(python, wheel));
    expect(existsSync(path.join(folder, "complete.json"))).toBe(false);
    expect(existsSync(`${folder}.lock`)).toBe(false);
  });

  test(
    "says that it is offline where no index is reached",
    async () => {
      vi.stubEnv("PIP_NO_INDEX", undefined);
      vi.stubEnv("PIP_CONFIG_FILE", "/dev/null");
      // Port 9 of this machine is the discard service, which nothing listens on.
      vi.stubEnv("PIP_INDEX_URL", "http://127.0.0.1:9/simple");
      vi.stubEnv("PIP_EXTRA_INDEX_URL", undefined);
      vi.stubEnv("PIP_FIND_LINKS", undefined);
      vi.stubEnv("PIP_RETRIES", "0");
      const needy = tinyWheel("9.9.8");
      const missing = { ...needy, file: "prior-art-lsp-that-nobody-has" };
      try {
        expect(await failureFrom(privateEnvironment(installation({ wheel: missing })))).toEqual({
          kind: "offline",
        });
      } finally {
        vi.unstubAllEnvs();
      }
    },
    2 * MINUTE,
  );

  test("needs venv, and something that brings pip", async () => {
    const bare = { ...python, hasVenv: false };
    const failure = await failureFrom(privateEnvironment(installation({ python: bare })));
    expect(failure.kind).toBe("noVenv");
  });

  test.each([
    [{ hasVenv: true, hasEnsurepip: true, hasPip: false }, undefined, undefined],
    [{ hasVenv: true, hasEnsurepip: false, hasPip: true }, undefined, undefined],
    [{ hasVenv: true, hasEnsurepip: false, hasPip: false }, "noVenv", "noPip"],
    [{ hasVenv: false, hasEnsurepip: true, hasPip: true }, "noVenv", "noVenv"],
  ])("made with %j lacks %s on Debian, %s elsewhere", (parts, onDebian, elsewhere) => {
    expect(missingPart({ ...python, ...parts }, true)?.kind).toBe(onDebian);
    expect(missingPart({ ...python, ...parts }, false)?.kind).toBe(elsewhere);
  });

  test("needs a folder that may be written to", async () => {
    const file = path.join(oddFolder(), "file");
    writeFileSync(file, "");
    const failure = await failureFrom(
      privateEnvironment(installation({ storage: path.join(file, "below") })),
    );
    expect(failure.kind).toBe("other");
  });
});

describe("what an unsuccessful step wrote", () => {
  const circumstances = { folder: "/f", python: { executable: "/p" } as Python, signal: undefined };

  test.each<[string, Failure["kind"]]>([
    ["ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "noSpace"],
    ["OSError: [WinError 112] There is not enough space on the disk", "noSpace"],
    ["The virtual environment was not created successfully because ensurepip is not available.", "noVenv"],
    ["/usr/bin/python3: No module named pip", "noPip"],
    [
      "WARNING: Retrying after connection broken by 'NewConnectionError'\nERROR: No matching distribution found for numpy",
      "offline",
    ],
    ["socket.gaierror: [Errno 11001] getaddrinfo failed", "offline"],
    ["ERROR: [Errno 13] Permission denied: '/f/lib'", "noPermission"],
    ["ERROR: Something else", "other"],
    ["", "other"],
  ])("%j is %s", (output, kind) => {
    expect(failureOf("Step", { exitCode: 1, stdout: "", output }, circumstances).kind).toBe(kind);
  });

  test("a package without a wheel is named", () => {
    const output =
      "ERROR: Could not find a version\nERROR: No matching distribution found for stringzilla>=4.0\n";
    const old = { ...circumstances, python: { executable: "/p", version: [3, 15, 0] } as unknown as Python };
    expect(messageOf(failureOf("Step", { exitCode: 1, stdout: "", output }, old))).toBe(
      "stringzilla>=4.0 cannot be installed for Python 3.15.0 on this system. Name another Python in the setting priorArt.interpreter.",
    );
  });

  test("names Debian's package of the Python that is meant", () => {
    const failure: Failure = { kind: "noVenv", python: "/p", version: [3, 12, 1], isDebian: true };
    expect(messageOf(failure)).toContain("“sudo apt install python3.12-venv”");
  });

  test("every message is one line that ends like a sentence", () => {
    const failures: Failure[] = [
      { kind: "noPython", passedOver: [] },
      { kind: "badInterpreter", path: "/p", reason: "r" },
      { kind: "noVenv", python: "/p", version: [3, 12, 1], isDebian: true },
      { kind: "noVenv", python: "/p", version: [3, 12, 1], isDebian: false },
      { kind: "noPip", python: "/p" },
      { kind: "offline" },
      { kind: "noSpace", folder: "/f" },
      { kind: "noPermission", folder: "/f" },
      { kind: "noWheel", version: [3, 14], requirement: "x" },
      { kind: "cancelled" },
    ];
    for (const failure of failures) {
      expect(messageOf(failure)).toMatch(/^[^\n]+\.$/u);
    }
  });
});

describe("the server", () => {
  const choice = (interpreter: string) => ({
    wishes: {
      interpreter,
      workspaceFolder: undefined,
      untrustedFolders: [],
      activeInterpreter: () => Promise.resolve(undefined),
    },
    storage: oddFolder(),
    wheel,
    oldestServer: "0.2.0",
    onStep: () => undefined,
    log: () => undefined,
  });

  test("is the interpreter's own where that is new enough", async () => {
    const own = fakePython(answer([3, 12, 0], { server: "0.2.1" }));
    const chosen = await chooseServer(choice(own));
    expect(chosen).toMatchObject({
      command: "/x/python",
      args: ["-m", "lsp_server", "serve"],
      origin: "interpreter",
    });
    expect(chosen.env.PYTHONSAFEPATH).toBe("1");
  });

  test(
    "is the private one where there is none",
    async () => {
      const chosen = await chooseServer(choice("python3"));
      expect(chosen).toMatchObject({ version: "9.9.9", origin: "private" });
    },
    2 * MINUTE,
  );
});

/** What a command that should be Python is: which one, how new, and what it has. */

import { run, type Finished } from "./run";
import { isAtLeast, type Version } from "./version";

export const OLDEST_PYTHON: Version = [3, 10];
const TIMEOUT_MILLISECONDS = 15_000;
const MARK = "prior-art-probe:";

/** Runs on every Python since 2.7; what others print before it does not matter. */
const SCRIPT = `
import json, sys
found = {"executable": sys.executable, "version": list(sys.version_info[:3]), "server": None}
try:
    from importlib.metadata import version
    found["server"] = version("prior-art-lsp")
except Exception:
    pass
for name in ("venv", "ensurepip", "pip"):
    try:
        __import__(name)
        found[name] = True
    except Exception:
        found[name] = False
sys.stdout.write("\\n${MARK}" + json.dumps(found) + "\\n")
`;

export interface Python {
  /** What it was started by. */
  readonly command: readonly string[];
  /** Absolute. */
  readonly executable: string;
  readonly version: Version;
  /** Of the installed `prior-art-lsp`. */
  readonly server: string | undefined;
  readonly hasVenv: boolean;
  readonly hasEnsurepip: boolean;
  readonly hasPip: boolean;
}

export type Probe =
  | { readonly kind: "python"; readonly python: Python }
  | { readonly kind: "notFound" }
  | { readonly kind: "broken"; readonly reason: string; readonly timedOut: boolean }
  | { readonly kind: "tooOld"; readonly version: Version };

/** Start a command and ask it; `cwd` has to be a folder of ours. */
export async function probe(
  command: readonly string[],
  cwd: string,
  timeoutMilliseconds = TIMEOUT_MILLISECONDS,
): Promise<Probe> {
  const finished = await run([...command, "-c", SCRIPT], { cwd, timeoutMilliseconds });
  if (finished.errorCode === "ENOENT") {
    return { kind: "notFound" };
  }
  const answer = answerIn(finished.stdout);
  if (answer === undefined) {
    return { kind: "broken", reason: reasonOf(finished), timedOut: finished.timedOut === true };
  }
  const { executable, version, server, venv, ensurepip, pip } = answer;
  if (!isAtLeast(version, OLDEST_PYTHON)) {
    return { kind: "tooOld", version };
  }
  return {
    kind: "python",
    python: {
      command,
      executable,
      version,
      server: server ?? undefined,
      hasVenv: venv,
      hasEnsurepip: ensurepip,
      hasPip: pip,
    },
  };
}

/** What `SCRIPT` prints. */
interface Answer {
  readonly executable: string;
  readonly version: number[];
  readonly server: string | null;
  readonly venv: boolean;
  readonly ensurepip: boolean;
  readonly pip: boolean;
}

function answerIn(stdout: string): Answer | undefined {
  const line = stdout.split(/\r\n|\n|\r/u).find((text) => text.startsWith(MARK));
  try {
    return line === undefined ? undefined : (JSON.parse(line.slice(MARK.length)) as Answer);
  } catch {
    // It ended while it was answering.
    return undefined;
  }
}

function reasonOf(finished: Finished): string {
  if (finished.timedOut === true) {
    return "it did not answer in time";
  }
  if (finished.errorCode !== undefined) {
    return `it could not be started (${finished.errorCode})`;
  }
  const lines = finished.output.split(/\r\n|\n|\r/u).filter((line) => line.trim() !== "");
  return lines.at(-1)?.trim() ?? `it ended with exit code ${String(finished.exitCode)}`;
}

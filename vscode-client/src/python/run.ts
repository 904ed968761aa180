/** Run a program and keep what it said: no shell, arguments as an array, failures as values. */

import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable } from "node:stream";

const KEPT_CHARACTERS = 100_000;
/** How long a program that was told to stop may take over it. */
const GRACE_MILLISECONDS = 2000;
const IS_WINDOWS = process.platform === "win32";

export interface RunOptions {
  /** A folder of ours: what Python finds here it may import. */
  readonly cwd: string;
  readonly timeoutMilliseconds?: number;
  readonly signal?: AbortSignal | undefined;
  /** Told each line that the program writes. */
  readonly onLine?: (line: string) => void;
  /** Variables besides the person's own. */
  readonly variables?: NodeJS.ProcessEnv;
}

export interface Finished {
  /** Null where the program could not be started, was stopped or took too long. */
  readonly exitCode: number | null;
  readonly stdout: string;
  /** Both streams in the order in which they were written. */
  readonly output: string;
  /** Of the system, such as `ENOENT` where there is no such program. */
  readonly errorCode?: string;
  readonly timedOut?: boolean;
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** Run a program to its end; never rejects. */
export async function run(command: readonly string[], options: RunOptions): Promise<Finished> {
  const [program = "", ...args] = command;
  let child: Child;
  try {
    child = spawn(program, args, {
      cwd: options.cwd,
      env: childEnvironment({ ...process.env, ...options.variables }),
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
      shell: false,
      // A group of its own, so that what it starts ends with it; on Windows that would open a console.
      detached: !IS_WINDOWS,
    });
  } catch (error) {
    // A few reasons come as an exception, such as a file in the place of a folder, or a batch file.
    return { exitCode: null, stdout: "", output: "", errorCode: codeOf(error) };
  }
  return endOf(child, options);
}

function endOf(child: Child, options: RunOptions): Promise<Finished> {
  return new Promise((resolve) => {
    let stdout = "";
    let output = "";
    let timedOut = false;
    let stopping: NodeJS.Timeout | undefined;
    const lines = new LineReader(options.onLine);
    const finish = (exitCode: number | null, errorCode?: string): void => {
      clearTimeout(timer);
      clearTimeout(stopping);
      options.signal?.removeEventListener("abort", stop);
      lines.end();
      resolve({ exitCode, stdout, output, timedOut, ...(errorCode === undefined ? {} : { errorCode }) });
    };
    const stop = (): void => {
      kill(child, "SIGTERM");
      stopping ??= setTimeout(() => {
        kill(child, "SIGKILL");
        // Whoever holds its output open even now is not waited for.
        child.stdout.destroy();
        child.stderr.destroy();
        finish(null);
      }, GRACE_MILLISECONDS);
    };
    const timer =
      options.timeoutMilliseconds === undefined
        ? undefined
        : setTimeout(() => {
            timedOut = true;
            stop();
          }, options.timeoutMilliseconds);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout = (stdout + text).slice(-KEPT_CHARACTERS);
      output = (output + text).slice(-KEPT_CHARACTERS);
      lines.add(text);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-KEPT_CHARACTERS);
      lines.add(text);
    });
    child.on("error", (error) => finish(null, codeOf(error)));
    child.on("close", (exitCode) => finish(timedOut ? null : exitCode));
    options.signal?.addEventListener("abort", stop, { once: true });
    if (options.signal?.aborted === true) {
      stop();
    }
  });
}

/** The person's environment, in which no file of the current folder is imported and output is UTF-8. */
export function childEnvironment(inherited: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...inherited, PYTHONSAFEPATH: "1", PYTHONIOENCODING: "utf-8", PYTHONUNBUFFERED: "1" };
}

function kill(child: Child, signal: NodeJS.Signals): void {
  if (child.pid === undefined || IS_WINDOWS) {
    child.kill(signal);
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The whole group has ended by itself.
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "UNKNOWN";
}

class LineReader {
  private rest = "";

  constructor(private readonly onLine: (line: string) => void = () => undefined) {}

  add(text: string): void {
    const lines = (this.rest + text).split(/\r\n|\n|\r/u);
    this.rest = lines.pop() ?? "";
    lines.forEach(this.onLine);
  }

  end(): void {
    if (this.rest !== "") {
      this.onLine(this.rest);
      this.rest = "";
    }
  }
}

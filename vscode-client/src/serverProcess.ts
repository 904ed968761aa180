/** The server's process: started here, so that one that hangs can be ended, and what one said last is known. */

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

import type { ChosenServer } from "./python/chooseServer";

/** How long an end that is under way may take. */
const END_MILLISECONDS = 2000;

export class ServerProcess {
  private lastLine = "";
  private readonly ended: Promise<void>;

  private constructor(readonly child: ChildProcessWithoutNullStreams) {
    this.ended = new Promise((resolve) => {
      child.once("close", () => {
        resolve();
      });
    });
    // Such as a signal that did not reach it; whether it ends is seen all the same.
    child.on("error", () => undefined);
    createInterface({ input: child.stderr }).on("line", (line) => {
      this.lastLine = line.trim() || this.lastLine;
    });
  }

  /**
   * Start a server.
   *
   * @throws Error where there is no such program, or it may not be run.
   */
  static async start({ command, args, cwd, env }: ChosenServer): Promise<ServerProcess> {
    const child = spawn(command, args, { cwd, env, shell: false, windowsHide: true });
    await once(child, "spawn");
    return new ServerProcess(child);
  }

  /** What it said last, where it has ended by itself or is about to. */
  async lastWords(): Promise<string | undefined> {
    await this.waitForEnd();
    const { exitCode } = this.child;
    return exitCode === null ? undefined : this.lastLine || `exit code ${String(exitCode)}`;
  }

  /** End it, by force where it does not end by itself soon. */
  async end(): Promise<void> {
    this.child.stdin.destroy();
    await this.waitForEnd();
    this.kill();
  }

  kill(): void {
    this.child.kill("SIGKILL");
  }

  private async waitForEnd(): Promise<void> {
    await Promise.race([this.ended, sleep(END_MILLISECONDS, undefined, { ref: false })]);
  }
}

import { describe, expect, test } from "vitest";

import type { ChosenServer } from "../../src/python/chooseServer";
import { ServerProcess } from "../../src/serverProcess";
import { fakePython, oddFolder } from "./python/fakes";

function server(command: string): ChosenServer {
  const discard = (): Promise<void> => Promise.resolve();
  return { command, args: ["-m", "x"], cwd: oddFolder(), env: {}, version: "1", origin: "private", discard };
}

describe("a server's process", () => {
  test("that ends by itself says why by its last line", async () => {
    const process = await ServerProcess.start(
      server(fakePython("echo one >&2; echo 'two ' >&2; echo >&2; exit 1")),
    );
    expect(await process.lastWords()).toBe("two");
  });

  test("that ends without a word has its exit code", async () => {
    expect(await (await ServerProcess.start(server(fakePython("exit 3")))).lastWords()).toBe("exit code 3");
  });

  test("ends when its input does", async () => {
    const process = await ServerProcess.start(server(fakePython("cat; exit 4")));
    await process.end();
    expect(process.child.exitCode).toBe(4);
  });

  test("that hangs is ended by force, and has no last words before that", async () => {
    const process = await ServerProcess.start(server(fakePython("echo busy >&2; exec sleep 600")));
    expect(await process.lastWords()).toBeUndefined();
    await process.end();
    await expect.poll(() => process.child.signalCode, { timeout: 10_000 }).toBe("SIGKILL");
  });

  test("of a program that is not there is an error", async () => {
    await expect(ServerProcess.start(server("/nowhere/python"))).rejects.toThrow("ENOENT");
  });
});

import { existsSync } from "node:fs";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";

import { run } from "../../../src/python/run";
import { fakePython, oddFolder } from "./fakes";

test("arguments arrive as they are", async () => {
  const odd = ["a b", "'", '"', "$HOME", "한글", "*", "", ";exit 9", "two\nlines"];
  const finished = await run([fakePython(`printf '%s|' "$@"`), ...odd], { cwd: oddFolder() });
  expect(finished).toEqual({
    exitCode: 0,
    stdout: `${odd.join("|")}|`,
    output: `${odd.join("|")}|`,
    timedOut: false,
  });
});

test("every line is told, of both streams, and the last one without its end too", async () => {
  const lines: string[] = [];
  const script = fakePython("echo one; sleep 0.1; printf 'two\\r\\n' >&2; sleep 0.1; printf three; exit 4");
  const finished = await run([script], { cwd: oddFolder(), onLine: (line) => lines.push(line) });
  expect(lines).toEqual(["one", "two", "three"]);
  expect(finished).toMatchObject({ exitCode: 4, stdout: "one\nthree", output: "one\ntwo\r\nthree" });
});

test.each([
  ["a file in the place of a folder", path.join(fakePython(""), "python"), "ENOTDIR"],
  ["an empty name", "", "ERR_INVALID_ARG_VALUE"],
  ["a folder", oddFolder(), "EACCES"],
  ["nothing at all", path.join(oddFolder(), "nothing"), "ENOENT"],
])("%s is a failure as a value", async (_name, program, errorCode) => {
  expect(await run([program], { cwd: oddFolder() })).toMatchObject({ exitCode: null, errorCode });
});

test("a program that is stopped takes with it what it has started", async () => {
  const folder = oddFolder();
  const [begun, survived] = [path.join(folder, "begun"), path.join(folder, "survived")];
  const parent = fakePython(`(: > "$1"; sleep 1; : > "$2") & wait`);
  const cancelled = new AbortController();
  const finished = run([parent, begun, survived], { cwd: folder, signal: cancelled.signal });
  await expect.poll(() => existsSync(begun)).toBe(true);
  cancelled.abort();
  expect((await finished).exitCode).toBeNull();
  await sleep(1500);
  expect(existsSync(survived)).toBe(false);
});

test("a program that does not want to go is ended all the same", async () => {
  const started = Date.now();
  const stubborn = fakePython(`trap '' TERM; while :; do sleep 0.1; done`);
  const finished = await run([stubborn], { cwd: oddFolder(), timeoutMilliseconds: 300 });
  expect(finished).toMatchObject({ exitCode: null, timedOut: true });
  expect(Date.now() - started).toBeLessThan(20_000);
});

test("what is cancelled before it starts does not run to its end", async () => {
  const finished = await run([fakePython("exec sleep 60")], {
    cwd: oddFolder(),
    signal: AbortSignal.abort(),
  });
  expect(finished.exitCode).toBeNull();
});

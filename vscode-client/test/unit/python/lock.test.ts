import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";

import { ifUnlocked, SILENT_MILLISECONDS, withLock } from "../../../src/python/lock";
import { oddFolder } from "./fakes";

function lockFile(): string {
  return path.join(oddFolder(), "environment.lock");
}

/** Another process, for as long as it is let live. */
function otherProcess(): { pid: number; end: () => void } {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  return { pid: child.pid ?? 0, end: () => child.kill("SIGKILL") };
}

test("one works after the other, and nothing is left behind", async () => {
  const file = lockFile();
  const order: string[] = [];
  const work = (name: string) =>
    withLock(file, {}, async () => {
      expect(readFileSync(file, "utf8")).toBe(String(process.pid));
      order.push(`${name} begins`);
      await sleep(50);
      order.push(`${name} ends`);
    });
  await Promise.all([work("a"), work("b"), work("c")]);
  expect(order).toHaveLength(6);
  for (let place = 0; place < order.length; place += 2) {
    expect(order[place + 1]).toBe(order[place]?.replace("begins", "ends"));
  }
  expect(existsSync(file)).toBe(false);
});

test("a lock is held as long as its process lives, and no longer", async () => {
  const file = lockFile();
  const holder = otherProcess();
  try {
    writeFileSync(file, String(holder.pid));
    let waits = 0;
    let isDone = false;
    const work = withLock(file, { onWait: () => (waits += 1) }, () => Promise.resolve((isDone = true)));
    await sleep(700);
    expect([waits, isDone]).toEqual([1, false]);
    holder.end();
    expect(await work).toBe(true);
  } finally {
    holder.end();
  }
});

test.each([
  ["whose number somebody else has by now", String(process.pid)],
  ["that was never written to its end", ""],
])("a lock %s is taken over once it has been silent for long", async (_name, content) => {
  const file = lockFile();
  writeFileSync(file, content);
  const longAgo = new Date(Date.now() - SILENT_MILLISECONDS - 1000);
  utimesSync(file, longAgo, longAgo);
  expect(await withLock(file, {}, () => Promise.resolve("mine"))).toBe("mine");
});

test("a lock that is being written at this moment is left alone", async () => {
  const file = lockFile();
  writeFileSync(file, "");
  let ran = false;
  await ifUnlocked(file, () => Promise.resolve(void (ran = true)));
  expect([ran, existsSync(file)]).toEqual([false, true]);
});

test("work that fails gives its lock back", async () => {
  const file = lockFile();
  await expect(withLock(file, {}, () => Promise.reject(new Error("no luck")))).rejects.toThrow("no luck");
  expect(existsSync(file)).toBe(false);
});

test("a lock that cannot be made is an error, and nothing to wait for", async () => {
  const folder = path.join(oddFolder(), "missing");
  await expect(withLock(path.join(folder, "x.lock"), {}, () => Promise.resolve())).rejects.toThrow("ENOENT");
  mkdirSync(folder);
  expect(await withLock(path.join(folder, "x.lock"), {}, () => Promise.resolve(1))).toBe(1);
});

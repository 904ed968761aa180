/** A folder that one process at a time works in, be it of this window or of another one. */

import { readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MILLISECONDS = 250;
const BEAT_MILLISECONDS = 2000;
/** A process id may belong to somebody else by now, so a holder also goes on showing that it is there. */
export const SILENT_MILLISECONDS = 60_000;
/** Longer than it takes to remove a lock after having found it abandoned. */
const DISPUTE_MILLISECONDS = 100;

export interface Waiting {
  readonly signal?: AbortSignal | undefined;
  /** Told once, when somebody else is found to be at work. */
  readonly onWait?: () => void;
}

/**
 * Do some work while no other process does; an abandoned lock is taken over.
 *
 * @throws an AbortError when waiting is cancelled.
 */
export async function withLock<Result>(
  file: string,
  { signal, onWait }: Waiting,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!(await take(file))) {
    onWait?.();
    do {
      await sleep(POLL_MILLISECONDS, undefined, signal === undefined ? {} : { signal });
    } while (!(await take(file)));
  }
  return hold(file, work);
}

/** Do some work, or leave it where another process is at work. */
export async function ifUnlocked(file: string, work: () => Promise<void>): Promise<void> {
  if (await take(file)) {
    await hold(file, work);
  }
}

async function hold<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  const beat = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => undefined);
  }, BEAT_MILLISECONDS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    await rm(file, { force: true });
  }
}

async function take(file: string): Promise<boolean> {
  if (await create(file)) {
    return true;
  }
  if (!(await isAbandoned(file))) {
    return false;
  }
  await rm(file, { force: true });
  if (!(await create(file))) {
    return false;
  }
  // Another one that found it abandoned too may have removed the new lock in place of the old one.
  await sleep(DISPUTE_MILLISECONDS);
  return (await readFile(file, "utf8").catch(() => "")) === String(process.pid);
}

async function create(file: string): Promise<boolean> {
  try {
    await writeFile(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") {
      return false;
    }
    if (code === "ENOSPC") {
      // The file is there, without what belongs in it.
      await rm(file, { force: true });
    }
    throw error;
  }
}

async function isAbandoned(file: string): Promise<boolean> {
  try {
    const holder = Number(await readFile(file, "utf8"));
    const { mtimeMs } = await stat(file);
    // Without a process id it is being written at this moment.
    return (holder > 0 && !isAlive(holder)) || Date.now() - mtimeMs > SILENT_MILLISECONDS;
  } catch {
    // Its holder has just finished.
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

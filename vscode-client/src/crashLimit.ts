/** How often a server that ends by itself is started again. */

export const MAX_RESTARTS = 4;
export const WINDOW_MILLISECONDS = 3 * 60 * 1000;

/** Counts crashes; `mayRestart` is to be called once for each. */
export class CrashLimit {
  private crashes: number[] = [];

  /** Whether another start is worth it: not after more than `MAX_RESTARTS` crashes within three minutes. */
  mayRestart(now: number): boolean {
    this.crashes = [...this.crashes.filter((time) => now - time < WINDOW_MILLISECONDS), now];
    return this.crashes.length <= MAX_RESTARTS;
  }

  /** A person asked for a new start: what was before does not count. */
  forget(): void {
    this.crashes = [];
  }
}

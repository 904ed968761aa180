/** Versions as lists of numbers. */

export type Version = readonly number[];

/** Read `0.2.0`, and of `0.3.0rc1` or `0.3.0.dev4` what stands before the letters; undefined for what is none. */
export function parseVersion(text: string): Version | undefined {
  const numbers = /^\d+(?:\.\d+)*/u.exec(text.trim())?.[0];
  return numbers?.split(".").map(Number);
}

/** Whether a version is `least` or newer; missing numbers are zero. */
export function isAtLeast(version: Version, least: Version): boolean {
  for (let place = 0; place < Math.max(version.length, least.length); place += 1) {
    const difference = (version[place] ?? 0) - (least[place] ?? 0);
    if (difference !== 0) {
      return difference > 0;
    }
  }
  return true;
}

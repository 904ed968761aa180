import { expect, test } from "vitest";

import { CrashLimit, MAX_RESTARTS, WINDOW_MILLISECONDS } from "../../src/crashLimit";

test("a server that goes on ending is not started for ever", () => {
  const limit = new CrashLimit();
  const answers = Array.from({ length: MAX_RESTARTS + 2 }, (_, second) => limit.mayRestart(second * 1000));
  expect(answers).toEqual([...Array<boolean>(MAX_RESTARTS).fill(true), false, false]);
});

test("one that ends now and then is", () => {
  const limit = new CrashLimit();
  for (let crash = 0; crash < 50; crash += 1) {
    expect(limit.mayRestart(crash * WINDOW_MILLISECONDS)).toBe(true);
  }
});

test("crashes from before a person's restart do not count", () => {
  const limit = new CrashLimit();
  for (let crash = 0; crash <= MAX_RESTARTS; crash += 1) {
    limit.mayRestart(crash);
  }
  limit.forget();
  expect(limit.mayRestart(MAX_RESTARTS + 1)).toBe(true);
});

/** Programs that stand in for Python, and a wheel that stands in for the server's; all in folders with odd names. */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";

import { afterAll } from "vitest";

import type { Wheel } from "../../../src/python/privateEnvironment";

const made: string[] = [];
afterAll(() => {
  for (const folder of made) {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** An empty folder whose name has a blank, Hangul, a quote and a parenthesis; it goes with the last test. */
export function oddFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "prior art 한글 'x' ("));
  made.push(folder);
  return folder;
}

/** A program that runs a shell script. */
export function fakePython(script: string, name = "python"): string {
  const file = path.join(oddFolder(), name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

/** What a fake prints that answers the probe. */
export function answer(version: readonly number[], more: object = {}): string {
  const found = {
    executable: "/x/python",
    version,
    server: null,
    venv: true,
    ensurepip: true,
    pip: true,
    ...more,
  };
  return `printf '%s\\n' 'prior-art-probe:${JSON.stringify(found)}'`;
}

/** A wheel called prior-art-lsp that pip installs without an index. */
export function tinyWheel(version = "9.9.9"): Wheel {
  const folder = oddFolder();
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `prior_art_lsp-${version}-py3-none-any.whl`);
  const script = [
    "import sys, zipfile",
    "file, version = sys.argv[1:]",
    "info = f'prior_art_lsp-{version}.dist-info/'",
    "with zipfile.ZipFile(file, 'w') as wheel:",
    "    wheel.writestr('lsp_server/__init__.py', '')",
    "    wheel.writestr(info + 'METADATA', f'Metadata-Version: 2.1\\nName: prior-art-lsp\\nVersion: {version}\\nProvides-Extra: semantic\\n')",
    "    wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nGenerator: tests\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')",
    "    wheel.writestr(info + 'RECORD', '')",
  ].join("\n");
  execFileSync("python3", ["-c", script, file, version]);
  return { file, version, sha256: createHash("sha256").update(readFileSync(file)).digest("hex") };
}

/**
 * Put together what the package holds besides the bundle: licence, sample workspace, and the server as a wheel.
 *
 * The wheel is built by the Python of $PYTHON, else `python3`. An unchanged server gives an unchanged wheel.
 */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import * as path from "node:path";

const CLIENT = path.dirname(import.meta.dirname);
const REPOSITORY = path.dirname(CLIENT);
const BUNDLED = path.join(CLIENT, "bundled");
/** Files in a wheel carry a time; this one, 2020-01-01, keeps the archive the same. */
const SOURCE_DATE_EPOCH = "1577836800";

function stage() {
  cpSync(path.join(REPOSITORY, "LICENSE"), path.join(CLIENT, "LICENSE"));
  copySample();
  buildWheel();
}

function copySample() {
  const sample = path.join(CLIENT, "sample");
  rmSync(sample, { recursive: true, force: true });
  cpSync(path.join(REPOSITORY, "examples", "harbour"), path.join(sample, "harbour"), { recursive: true });
}

function buildWheel() {
  rmSync(BUNDLED, { recursive: true, force: true });
  mkdirSync(BUNDLED);
  const python = process.env.PYTHON ?? (process.platform === "win32" ? "python" : "python3");
  const pip = ["-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps"];
  execFileSync(python, [...pip, "--wheel-dir", BUNDLED, REPOSITORY], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, SOURCE_DATE_EPOCH },
  });
  const [file, ...others] = readdirSync(BUNDLED).filter((name) => name.endsWith(".whl"));
  if (file === undefined || others.length > 0) {
    throw new Error(`expected one wheel in ${BUNDLED}`);
  }
  const version = file.split("-")[1];
  const sha256 = createHash("sha256")
    .update(readFileSync(path.join(BUNDLED, file)))
    .digest("hex");
  writeFileSync(path.join(BUNDLED, "wheel.json"), `${JSON.stringify({ file, version, sha256 }, null, 2)}\n`);
}

stage();

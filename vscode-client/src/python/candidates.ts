/** Which Python the server is run with: the setting, the Python extension's choice, then what the PATH has. */

import * as os from "node:os";
import * as path from "node:path";

import { SetUpError } from "./failures";
import { probe, type Probe, type Python } from "./probe";

export interface Wishes {
  /** The setting `priorArt.interpreter`; empty for none. */
  readonly interpreter: string;
  readonly workspaceFolder: string | undefined;
  /** Folders of a workspace that is not trusted: no program in them is run. */
  readonly untrustedFolders: readonly string[];
  /** The interpreter that the Python extension has active, where there is that extension. */
  readonly activeInterpreter: () => Promise<string | undefined>;
}

/**
 * The first Python that can be used.
 *
 * @throws SetUpError where the setting's one cannot be, or where there is none.
 */
export async function findPython(wishes: Wishes, cwd: string, log: (line: string) => void): Promise<Python> {
  const wanted = expand(wishes.interpreter, wishes.workspaceFolder);
  if (wanted !== "") {
    const found = await probeTrusted([wanted], cwd, wishes.untrustedFolders);
    if (found.kind !== "python") {
      // Another one in its place would be a surprise.
      throw new SetUpError({ kind: "badInterpreter", path: wanted, reason: shortcoming(found) });
    }
    return found.python;
  }
  const active = await wishes.activeInterpreter();
  const passedOver: string[] = [];
  for (const command of [...(active === undefined ? [] : [[active]]), ...commandsOnPath(process.platform)]) {
    const found = await probeTrusted(command, cwd, wishes.untrustedFolders);
    if (found.kind === "python") {
      return found.python;
    }
    log(`${command.join(" ")}: ${shortcoming(found)}`);
    if (found.kind !== "notFound") {
      passedOver.push(`${command.join(" ")}, ${shortcoming(found)}`);
    }
  }
  throw new SetUpError({ kind: "noPython", passedOver });
}

async function probeTrusted(
  command: readonly string[],
  cwd: string,
  untrustedFolders: readonly string[],
): Promise<Probe> {
  const [program = ""] = command;
  return untrustedFolders.some((folder) => isInside(program, folder))
    ? { kind: "broken", reason: "it is in this workspace, which is not trusted", timedOut: false }
    : probe(command, cwd);
}

/** By their paths alone; a program without a folder is the `PATH`'s. */
function isInside(program: string, folder: string): boolean {
  const between = path.relative(folder, program);
  return path.isAbsolute(program) && !path.isAbsolute(between) && between.split(path.sep)[0] !== "..";
}

/** On Windows the launcher comes first: `python3` may be the Store's advertisement, which takes its time. */
export function commandsOnPath(platform: NodeJS.Platform): string[][] {
  const names = [["python3"], ["python"]];
  return platform === "win32" ? [["py", "-3"], ...names] : names;
}

/** The setting's path with `~` and `${workspaceFolder}` filled in; the latter stays where there is no folder. */
export function expand(setting: string, workspaceFolder: string | undefined): string {
  const named = setting.trim().replaceAll("${workspaceFolder}", (name) => workspaceFolder ?? name);
  return /^~(?=$|[\\/])/u.test(named) ? path.join(os.homedir(), named.slice(1)) : named;
}

function shortcoming(found: Exclude<Probe, { kind: "python" }>): string {
  switch (found.kind) {
    case "notFound":
      return "there is no such program";
    case "tooOld":
      return `it is Python ${found.version.join(".")}, and 3.10 or newer is needed`;
    case "broken":
      return found.reason;
  }
}

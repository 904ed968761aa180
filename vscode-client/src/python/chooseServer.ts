/** Which server runs: the interpreter's own where it is new enough, else the one of the private environment. */

import { findPython, type Wishes } from "./candidates";
import { discardEnvironment, privateEnvironment, type Wheel } from "./privateEnvironment";
import type { Python } from "./probe";
import { childEnvironment } from "./run";
import { isAtLeast, parseVersion } from "./version";

export interface ChosenServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  readonly origin: "interpreter" | "private";
  /** Have an environment of the extension's own made again at the next start: this server does not run. */
  readonly discard: () => Promise<void>;
}

export interface Choice {
  readonly wishes: Wishes;
  /** A folder of the extension's own. */
  readonly storage: string;
  readonly wheel: Wheel;
  /** The oldest server that this client works with. */
  readonly oldestServer: string;
  readonly onStep: (step: string) => void;
  readonly log: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Find a Python, and in it or beside it a server.
 *
 * Only the chosen Python is asked for an installed server: which one runs can then be told from the setting alone.
 *
 * @throws SetUpError
 */
export async function chooseServer(choice: Choice): Promise<ChosenServer> {
  const { storage, wheel, log } = choice;
  const python = await findPython(choice.wishes, storage, log);
  log(`Python ${python.version.join(".")}: ${python.executable}`);
  if (isNewEnough(python, choice.oldestServer)) {
    return { ...serverOf(python, storage), origin: "interpreter", discard: () => Promise.resolve() };
  }
  if (python.server !== undefined) {
    log(`its prior-art-lsp ${python.server} is older than ${choice.oldestServer} and is left alone`);
  }
  const own = await privateEnvironment({ ...choice, python, wheel });
  const discard = (): Promise<void> => discardEnvironment(storage, python, wheel);
  return { ...serverOf(own, storage), origin: "private", discard };
}

function isNewEnough({ server }: Python, oldest: string): boolean {
  const installed = parseVersion(server ?? "");
  return installed !== undefined && isAtLeast(installed, parseVersion(oldest) ?? []);
}

function serverOf(python: Python, storage: string): Omit<ChosenServer, "origin" | "discard"> {
  return {
    command: python.executable,
    args: ["-m", "lsp_server", "serve"],
    // Python looks for modules in the current folder: a workspace must not bring its own `lsp_server`.
    cwd: storage,
    env: childEnvironment(process.env),
    version: python.server ?? "",
  };
}

/** What can go wrong before the server runs, told in one line that says what to do. */

import type { Version } from "./version";

export type Failure =
  | { readonly kind: "noPython"; readonly passedOver: readonly string[] }
  | { readonly kind: "badInterpreter"; readonly path: string; readonly reason: string }
  | {
      readonly kind: "noVenv";
      readonly python: string;
      readonly version: Version;
      readonly isDebian: boolean;
    }
  | { readonly kind: "noPip"; readonly python: string }
  | { readonly kind: "offline" }
  | { readonly kind: "noSpace"; readonly folder: string }
  | { readonly kind: "noPermission"; readonly folder: string }
  | { readonly kind: "noWheel"; readonly version: Version; readonly requirement: string }
  | { readonly kind: "cancelled" }
  | { readonly kind: "other"; readonly step: string; readonly reason: string };

/** A failure as an error; its message is for people. */
export class SetUpError extends Error {
  constructor(readonly failure: Failure) {
    super(messageOf(failure));
    this.name = "SetUpError";
  }
}

export function messageOf(failure: Failure): string {
  switch (failure.kind) {
    case "noPython": {
      const found = failure.passedOver.length > 0 ? ` (found: ${failure.passedOver.join("; ")})` : "";
      return `No Python 3.10 or newer was found${found}. Install one and restart the server, or name it in the setting priorArt.interpreter.`;
    }
    case "badInterpreter":
      return `The Python of the setting priorArt.interpreter, ${failure.path}, cannot be used: ${failure.reason}.`;
    case "noVenv":
      return failure.isDebian
        ? `${failure.python} cannot make virtual environments. Run “sudo apt install python${failure.version.slice(0, 2).join(".")}-venv”, then restart the server.`
        : `${failure.python} cannot make virtual environments. Install its venv module, or name another Python in the setting priorArt.interpreter.`;
    case "noPip":
      return `${failure.python} has neither ensurepip nor pip 22.3 or newer. Install pip for it, or name another Python in the setting priorArt.interpreter.`;
    case "offline":
      return "The server's dependencies could not be fetched: no package index was reached that has them. Connect, or check pip's proxy settings, then restart the server.";
    case "noSpace":
      return `There is no space left to install the server in ${failure.folder}. Make some, then restart the server.`;
    case "noPermission":
      return `${failure.folder} may not be written to, so the server cannot be installed there. Change its permissions, then restart the server.`;
    case "noWheel":
      return `${failure.requirement} cannot be installed for Python ${failure.version.join(".")} on this system. Name another Python in the setting priorArt.interpreter.`;
    case "cancelled":
      return "The installation was cancelled. Restart the server to try again.";
    case "other":
      return `${failure.step} failed: ${failure.reason}`;
  }
}

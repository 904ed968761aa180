/** The server for this window, as the language client starts it. */

import { mkdir, readFile } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";
import type { PythonExtension } from "@vscode/python-extension";

import { SECTION } from "./configuration";
import { chooseServer, type ChosenServer } from "./python/chooseServer";
import type { Wheel } from "./python/privateEnvironment";

const PYTHON_EXTENSION = "ms-python.python";
/** The Python extension may have to look around first. */
const PYTHON_EXTENSION_MILLISECONDS = 20_000;

/**
 * Find a server or install one, which is shown as a notification that can be cancelled; `signal` ends it as well.
 *
 * @throws SetUpError
 */
export async function findServer(
  context: vscode.ExtensionContext,
  output: vscode.LogOutputChannel,
  signal: AbortSignal,
  onStep: (step: string) => void,
): Promise<ChosenServer> {
  const storage = context.globalStorageUri.fsPath;
  await mkdir(storage, { recursive: true });
  const manifest = context.extension.packageJSON as { priorArt: { oldestServer: string } };
  const cancelled = new AbortController();
  const progress = new InstallationProgress(cancelled);
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  try {
    const chosen = await chooseServer({
      wishes: {
        interpreter: vscode.workspace.getConfiguration(SECTION).get("interpreter", ""),
        workspaceFolder: folders[0],
        untrustedFolders: vscode.workspace.isTrusted ? [] : folders,
        activeInterpreter: () => activeInterpreter(output, signal),
      },
      storage,
      wheel: await shippedWheel(context.extensionPath),
      oldestServer: manifest.priorArt.oldestServer,
      log: (line) => {
        output.info(line);
      },
      onStep: (step) => {
        onStep(step);
        progress.show(step);
      },
      signal: AbortSignal.any([signal, cancelled.signal]),
    });
    output.info(`prior-art-lsp ${chosen.version} of the ${chosen.origin} environment`);
    return chosen;
  } finally {
    progress.end();
  }
}

async function shippedWheel(extensionPath: string): Promise<Wheel> {
  const folder = path.join(extensionPath, "bundled");
  const wheel = JSON.parse(await readFile(path.join(folder, "wheel.json"), "utf8")) as Wheel;
  return { ...wheel, file: path.join(folder, wheel.file) };
}

/** The interpreter that the Python extension has active, where that extension is there and has one. */
async function activeInterpreter(
  output: vscode.LogOutputChannel,
  signal: AbortSignal,
): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtension>(PYTHON_EXTENSION);
  const ask = async (): Promise<string | undefined> => {
    const api = await extension?.activate();
    const active = api?.environments.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri);
    const environment = active === undefined ? undefined : await api?.environments.resolveEnvironment(active);
    return environment?.executable.uri?.fsPath;
  };
  try {
    return await unlessAborted(
      ask(),
      AbortSignal.any([signal, AbortSignal.timeout(PYTHON_EXTENSION_MILLISECONDS)]),
    );
  } catch (error) {
    output.warn(`The Python extension did not tell its interpreter: ${String(error)}`);
    return undefined;
  }
}

/** What somebody else may never give. */
function unlessAborted<Value>(given: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      reject(signal.reason as Error);
    };
    given.then(resolve, reject);
    signal.addEventListener("abort", giveUp);
    if (signal.aborted) {
      giveUp();
    }
  });
}

/** A notification that appears with the first step only: most starts have nothing to install. */
class InstallationProgress {
  private report: vscode.Progress<{ message: string }> | undefined;
  private finish: (() => void) | undefined;
  private step = "";

  constructor(private readonly cancelled: AbortController) {}

  show(step: string): void {
    this.step = step;
    if (this.finish !== undefined) {
      this.report?.report({ message: step });
      return;
    }
    const done = new Promise<void>((resolve) => (this.finish = resolve));
    const options = { location: vscode.ProgressLocation.Notification, title: "Prior Art", cancellable: true };
    void vscode.window.withProgress(options, (progress, token) => {
      token.onCancellationRequested(() => {
        this.cancelled.abort();
      });
      this.report = progress;
      progress.report({ message: this.step });
      return done;
    });
  }

  end(): void {
    this.finish?.();
  }
}

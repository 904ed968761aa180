/** The server for this window, as the language client starts it. */

import { mkdir, readFile } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";
import type { PythonExtension } from "@vscode/python-extension";
import type { Executable } from "vscode-languageclient/node";

import { SECTION } from "./configuration";
import { chooseServer } from "./python/chooseServer";
import type { Wheel } from "./python/privateEnvironment";

const PYTHON_EXTENSION = "ms-python.python";

/**
 * Find a server or install one, which is shown as a notification that can be cancelled.
 *
 * @throws SetUpError
 */
export async function findServer(
  context: vscode.ExtensionContext,
  output: vscode.LogOutputChannel,
  onStep: (step: string) => void,
): Promise<Executable> {
  const storage = context.globalStorageUri.fsPath;
  await mkdir(storage, { recursive: true });
  const manifest = context.extension.packageJSON as { priorArt: { oldestServer: string } };
  const cancelled = new AbortController();
  const progress = new InstallationProgress(cancelled);
  try {
    const chosen = await chooseServer({
      wishes: {
        interpreter: vscode.workspace.getConfiguration(SECTION).get("interpreter", ""),
        workspaceFolder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath,
        activeInterpreter: () => activeInterpreter(output),
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
      signal: cancelled.signal,
    });
    output.info(`prior-art-lsp ${chosen.version} of the ${chosen.origin} environment`);
    const { command, args, cwd, env } = chosen;
    return { command, args: [...args], options: { cwd, env, shell: false } };
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
async function activeInterpreter(output: vscode.LogOutputChannel): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtension>(PYTHON_EXTENSION);
  try {
    const api = await extension?.activate();
    const active = api?.environments.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri);
    const environment = active === undefined ? undefined : await api?.environments.resolveEnvironment(active);
    return environment?.executable.uri?.fsPath;
  } catch (error) {
    output.warn(`The Python extension did not tell its interpreter: ${String(error)}`);
    return undefined;
  }
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

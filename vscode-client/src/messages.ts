/** What people are told in notifications, in one line. */

import * as vscode from "vscode";

import { withoutLinks } from "./presentation";

export function showInformation(text: string): void {
  void vscode.window.showInformationMessage(message(text));
}

export function showWarning(text: string): void {
  void vscode.window.showWarningMessage(message(text));
}

/** Tell what failed, with buttons; the one that was chosen. */
export function showError(text: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showErrorMessage(message(text), ...buttons);
}

/** What makes a failure in a handler a message and a line of the output, instead of nothing. */
export type Reporting = <Args extends unknown[]>(
  run: (...args: Args) => unknown,
) => (...args: Args) => Promise<void>;

export function reportingTo(output: vscode.LogOutputChannel): Reporting {
  return (run) =>
    async (...args) => {
      try {
        await run(...args);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        output.error(reason);
        void showError(reason);
      }
    };
}

function message(text: string): string {
  return `Prior Art: ${withoutLinks(text)}`;
}

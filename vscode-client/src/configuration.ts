/** The settings that go to the server: those that somebody set, and no defaults of the editor's. */

import * as vscode from "vscode";

export const SECTION = "priorArt";

/** Read by this client alone. */
const CLIENT_KEYS: ReadonlySet<string> = new Set(["interpreter", "trace.server"]);

/**
 * The section as the server gets it, with dotted keys.
 *
 * A default that the editor merely knows would override the workspace's `.prior-art.toml`, so it stays out.
 */
export function serverSettings(
  keys: Iterable<string>,
  scope: vscode.Uri | undefined,
): Record<string, unknown> {
  const section = vscode.workspace.getConfiguration(SECTION, scope);
  const settings: Record<string, unknown> = {};
  for (const key of keys) {
    const found = CLIENT_KEYS.has(key) ? undefined : section.inspect(key);
    // Null is a value, too: it undoes what is set further out.
    const value = [found?.workspaceFolderValue, found?.workspaceValue, found?.globalValue].find(
      (set) => set !== undefined,
    );
    if (value !== undefined) {
      settings[key] = value;
    }
  }
  return settings;
}

/** The settings' names below the section, as the extension declares them. */
export function declaredKeys(extension: vscode.Extension<unknown>): string[] {
  const manifest = extension.packageJSON as {
    contributes: { configuration: { properties: Record<string, unknown> } };
  };
  return Object.keys(manifest.contributes.configuration.properties).map((key) =>
    key.slice(SECTION.length + 1),
  );
}

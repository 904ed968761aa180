/** The conversation with one server process, by VS Code's own library: what is asked of it, and what it may do. */

import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  State,
  type LanguageClientOptions,
  type StaticFeature,
} from "vscode-languageclient/node";

import { declaredKeys, SECTION, serverSettings } from "./configuration";
import type { ServerProcess } from "./serverProcess";

/** Commands that the server may have this client run, in code actions and, the first one, in hovers. */
export const SHOW_ALL = "priorArt.showAll";
export const COPY = "priorArt.copy";

const INDEXING_TOKEN = "prior-art:indexing:";

export interface Listener {
  readonly onRunning: () => void;
  /** The conversation is over, whoever ended it. */
  readonly onClosed: () => void;
  /** How far a root is read, in percent; undefined at the end. */
  readonly onIndexing: (token: string, percentage: number | undefined) => void;
  readonly onStoresChanged: () => void;
}

/** A client that has not been started. */
export function newLanguageClient(
  extension: vscode.Extension<unknown>,
  output: vscode.LogOutputChannel,
  process: ServerProcess,
  listener: Listener,
): LanguageClient {
  const options: LanguageClientOptions = {
    documentSelector: [{ scheme: "file" }, { scheme: "untitled" }, { scheme: "vscode-notebook-cell" }],
    outputChannel: output,
    // Texts of the stores come from anybody; they may bring no command of their own.
    markdown: { isTrusted: { enabledCommands: [SHOW_ALL] }, supportHtml: false },
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        listener.onClosed();
        // Never by the library: whether a new start works has to be known here.
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    },
    middleware: {
      handleWorkDoneProgress: (token, progress, next) => {
        // The status bar's own entry shows it.
        if (typeof token !== "string" || !token.startsWith(INDEXING_TOKEN)) {
          next(token, progress);
        } else {
          listener.onIndexing(token, progress.kind === "end" ? undefined : (progress.percentage ?? 0));
        }
      },
      workspace: {
        configuration: (params, token, next) =>
          params.items.every((item) => item.section === SECTION)
            ? params.items.map((item) =>
                serverSettings(
                  declaredKeys(extension),
                  item.scopeUri === undefined ? undefined : vscode.Uri.parse(item.scopeUri),
                ),
              )
            : next(params, token),
        didChangeWatchedFile: async (event, next) => {
          await next(event);
          listener.onStoresChanged();
        },
      },
    },
  };
  const client = new QuietClient(SECTION, "Prior Art", () => Promise.resolve(process.child), options);
  client.registerFeature(COMMANDS_OF_THIS_CLIENT);
  client.onDidChangeState(({ newState }) => {
    if (newState === State.Running) {
      listener.onRunning();
    }
  });
  return client;
}

/** Whoever starts or asks a server tells the person what went wrong, once; the library only writes it down. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

const COMMANDS_OF_THIS_CLIENT: StaticFeature = {
  fillClientCapabilities(capabilities) {
    capabilities.experimental = {
      ...(capabilities.experimental as object | undefined),
      priorArt: { commands: [SHOW_ALL, COPY], commandLinks: true },
    };
  },
  initialize: () => undefined,
  getState: () => ({ kind: "static" }),
  clear: () => undefined,
};

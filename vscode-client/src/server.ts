/** The language server that belongs to this window: starting, asking, restarting, and what state it is in. */

import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
  State,
  type Executable,
  type LanguageClientOptions,
  type StaticFeature,
  type WorkspaceEdit,
} from "vscode-languageclient/node";

import { declaredKeys, SECTION, serverSettings } from "./configuration";
import { CrashLimit } from "./crashLimit";
import { findServer } from "./findServer";
import { showError } from "./messages";
import type { ServerState } from "./presentation";
import type { LookUp, LookUpOptions, Page, PageOptions, Status } from "./protocol";

/** Commands that the server may have this client run, in code actions and, the first one, in hovers. */
export const SHOW_ALL = "priorArt.showAll";
export const COPY = "priorArt.copy";

/** In lists; a page shows more. */
const MATCHES_PER_SOURCE = 20;
const INDEXING_TOKEN = "prior-art:indexing:";
const STOP_MILLISECONDS = 2000;

export interface InsertionOptions {
  readonly uri: string;
  readonly line: number;
  readonly query: string;
  readonly id: string;
}

interface Insertion {
  readonly edit: WorkspaceEdit | null;
  /** Why there is no edit. */
  readonly reason: string;
}

/** One server for all folders of the window. */
export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private starting: Promise<void> | undefined;
  private restarting: Promise<void> = Promise.resolve();
  /** Whether the present client has got as far as to run. */
  private hasRun = false;
  /** The window closes: what is still asked must not start another server. */
  private isDisposed = false;
  private readonly crashes = new CrashLimit();
  private readonly changed = new vscode.EventEmitter<void>();
  /** Fires when `state` or `indexing` is another one, and when the stores may have changed. */
  readonly onDidChange = this.changed.event;
  state: ServerState = { kind: "starting" };
  /** How far each root is that is still being read, in percent. */
  readonly indexing = new Map<string, number>();

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly output: vscode.LogOutputChannel,
  ) {}

  /** Start it where it is not running; failures are shown once and end in the state `failed`. */
  async start(): Promise<void> {
    this.starting ??= this.startOnce().finally(() => (this.starting = undefined));
    await this.starting;
  }

  /** One after the other: the last one starts what is to run by then. */
  async restart(): Promise<void> {
    this.restarting = this.restarting.then(async () => {
      await this.starting;
      this.crashes.forget();
      await this.stop();
      await this.start();
    });
    await this.restarting;
  }

  dispose(): void {
    this.isDisposed = true;
    void this.stop();
    this.changed.dispose();
  }

  lookUp(options: LookUpOptions, token?: vscode.CancellationToken): Promise<LookUp> {
    return this.ask("priorArt.lookUp", { ...options, limit: MATCHES_PER_SOURCE }, token);
  }

  aboutFile(uri: string, token?: vscode.CancellationToken): Promise<LookUp> {
    return this.ask("priorArt.aboutFile", { uri }, token);
  }

  page(options: PageOptions): Promise<Page> {
    return this.ask("priorArt.page", options);
  }

  status(): Promise<Status> {
    return this.ask("priorArt.status", {});
  }

  /** The edit that puts a match into an open document, or why there is none. */
  async insertion(options: InsertionOptions): Promise<vscode.WorkspaceEdit | string> {
    const answer: Insertion = await this.ask("priorArt.insertion", options);
    const edit = await this.client?.protocol2CodeConverter.asWorkspaceEdit(answer.edit);
    return edit ?? answer.reason;
  }

  /** Ask one of the server's commands, starting the server first where that is needed. */
  private async ask<Answer>(
    command: string,
    options: object,
    token?: vscode.CancellationToken,
  ): Promise<Answer> {
    const send = (client: LanguageClient): Promise<Answer> =>
      client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [options] }, token);
    const asked = await this.running();
    try {
      return await send(asked);
    } catch (error) {
      if (this.client === asked || this.state.kind === "failed" || token?.isCancellationRequested === true) {
        throw error;
      }
      // That server has ended meanwhile; the next one can be asked.
      return send(await this.running());
    }
  }

  private async running(): Promise<LanguageClient> {
    if (this.state.kind !== "running") {
      await this.start();
    }
    if (this.client === undefined || this.state.kind !== "running") {
      throw new Error(this.state.kind === "failed" ? this.state.reason : "The server is not running");
    }
    return this.client;
  }

  private async startOnce(): Promise<void> {
    if (this.client !== undefined || this.hasEnded()) {
      return;
    }
    this.setState({ kind: "starting" });
    try {
      const found = await findServer(this.context, this.output, (step) => {
        this.setState({ kind: "installing", step });
      });
      if (this.hasEnded()) {
        return;
      }
      this.client = this.newClient(found);
      this.hasRun = false;
      await this.client.start();
    } catch (error) {
      if (this.hasEnded()) {
        return;
      }
      const reason = error instanceof Error ? error.message : String(error);
      this.output.error(reason);
      await this.stop();
      this.setState({ kind: "failed", reason });
      this.offerRestart(reason);
    }
  }

  /** A call, for the answer may be another one after every wait. */
  private hasEnded(): boolean {
    return this.isDisposed;
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.indexing.clear();
    this.setState({ kind: "stopped" });
    await client?.dispose(STOP_MILLISECONDS).catch((error: unknown) => {
      this.output.warn(`The server did not stop by itself: ${String(error)}`);
    });
  }

  private newClient(executable: Executable): LanguageClient {
    const options: LanguageClientOptions = {
      documentSelector: [{ scheme: "file" }, { scheme: "untitled" }, { scheme: "vscode-notebook-cell" }],
      outputChannel: this.output,
      // Texts of the stores come from anybody; they may bring no command of their own.
      markdown: { isTrusted: { enabledCommands: [SHOW_ALL] }, supportHtml: false },
      // Whoever started it tells the person, once.
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => this.closed(client),
      },
      middleware: {
        handleWorkDoneProgress: (token, progress, next) => {
          // The status bar's own entry shows it.
          if (typeof token !== "string" || !token.startsWith(INDEXING_TOKEN)) {
            next(token, progress);
          } else if (progress.kind === "end") {
            this.indexing.delete(token);
            this.changed.fire();
          } else {
            this.indexing.set(token, progress.percentage ?? 0);
            this.changed.fire();
          }
        },
        workspace: {
          configuration: (params, token, next) =>
            params.items.every((item) => item.section === SECTION)
              ? params.items.map((item) =>
                  serverSettings(
                    declaredKeys(this.context.extension),
                    item.scopeUri === undefined ? undefined : vscode.Uri.parse(item.scopeUri),
                  ),
                )
              : next(params, token),
          didChangeWatchedFile: async (event, next) => {
            await next(event);
            this.changed.fire();
          },
        },
      },
    };
    const client = new LanguageClient(SECTION, "Prior Art", executable, options);
    client.registerFeature(COMMANDS_OF_THIS_CLIENT);
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running && this.client === client) {
        this.hasRun = true;
        this.setState({ kind: "running" });
      }
    });
    return client;
  }

  /** The library never restarts it: whether that works has to be known here. */
  private closed(client: LanguageClient): { action: CloseAction; handled: true } {
    // One that was stopped, or never got as far as to run, is told of by whoever started it.
    if (this.client === client && this.hasRun) {
      this.client = undefined;
      this.indexing.clear();
      if (this.crashes.mayRestart(Date.now())) {
        this.output.warn("The server ended by itself and is started again");
        this.setState({ kind: "starting" });
        void this.startAgain();
      } else {
        const reason = "The server ended by itself too often and is not started again";
        this.output.error(reason);
        this.setState({ kind: "failed", reason });
        this.offerRestart(`${reason}. Its output may say why.`);
      }
    }
    return { action: CloseAction.DoNotRestart, handled: true };
  }

  private async startAgain(): Promise<void> {
    // It may have ended before its own start was over.
    await this.starting;
    await this.start();
  }

  private offerRestart(message: string): void {
    const restart = "Restart Server";
    const show = "Show Output";
    void showError(message, restart, show).then(async (choice) => {
      if (choice === restart) {
        await this.restart();
      } else if (choice === show) {
        this.output.show();
      }
    });
  }

  private setState(state: ServerState): void {
    this.state = state;
    this.changed.fire();
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

/** The language server that belongs to this window: starting, asking, restarting, and what state it is in. */

import * as vscode from "vscode";
import { ExecuteCommandRequest, type LanguageClient, type WorkspaceEdit } from "vscode-languageclient/node";

import { CrashLimit } from "./crashLimit";
import { findServer } from "./findServer";
import { newLanguageClient } from "./languageClient";
import { showError } from "./messages";
import type { ServerState } from "./presentation";
import type { ChosenServer } from "./python/chooseServer";
import type { LookUp, LookUpOptions, Page, PageOptions, Status } from "./protocol";
import { ServerProcess } from "./serverProcess";

/** In lists; a page shows more. */
const MATCHES_PER_SOURCE = 20;
const STOP_MILLISECONDS = 2000;
/** Far more than a first start takes; one that takes longer hangs. */
const START_MILLISECONDS = 60_000;

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
  private process: ServerProcess | undefined;
  private starting: Promise<void> | undefined;
  /** Ends the start that is under way. */
  private abandoned = new AbortController();
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
      this.abandoned.abort();
      await this.starting;
      this.crashes.forget();
      await this.stop();
      await this.start();
    });
    await this.restarting;
  }

  dispose(): void {
    this.isDisposed = true;
    this.abandoned.abort();
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
    // One that has been given up is not started for every letter that somebody types.
    if (this.state.kind !== "running" && this.state.kind !== "failed") {
      await this.start();
    }
    if (this.client === undefined || this.state.kind !== "running") {
      throw new Error(this.state.kind === "failed" ? this.state.reason : "The server is not running");
    }
    return this.client;
  }

  private async startOnce(): Promise<void> {
    if (this.client !== undefined || this.isDisposed) {
      return;
    }
    const { signal } = (this.abandoned = new AbortController());
    this.setState({ kind: "starting" });
    try {
      const found = await findServer(this.context, this.output, signal, (step) => {
        this.setState({ kind: "installing", step });
      });
      signal.throwIfAborted();
      await this.run(found, signal);
    } catch (error) {
      await this.stop();
      if (!signal.aborted) {
        const reason = error instanceof Error ? error.message : String(error);
        this.output.error(reason);
        this.setState({ kind: "failed", reason });
        this.offerRestart(reason);
      }
    }
  }

  /** Start a server and talk to it until it is ready. */
  private async run(found: ChosenServer, signal: AbortSignal): Promise<void> {
    const process = (this.process = await ServerProcess.start(found));
    const hung = AbortSignal.timeout(START_MILLISECONDS);
    const givenUp = AbortSignal.any([signal, hung]);
    const kill = (): void => {
      process.kill();
    };
    givenUp.addEventListener("abort", kill);
    try {
      signal.throwIfAborted();
      this.client = this.newClient(process);
      this.hasRun = false;
      await this.client.start();
    } catch (error) {
      signal.throwIfAborted();
      if (hung.aborted) {
        throw new Error("The server does not answer. Restart it, or see its output.", { cause: error });
      }
      const lastWords = await process.lastWords();
      if (lastWords === undefined) {
        throw error;
      }
      await found.discard();
      throw new Error(`The server cannot be started: ${lastWords}`, { cause: error });
    } finally {
      givenUp.removeEventListener("abort", kill);
    }
  }

  private async stop(): Promise<void> {
    const { client, process } = this;
    this.client = undefined;
    this.process = undefined;
    this.indexing.clear();
    this.setState({ kind: "stopped" });
    await client?.dispose(STOP_MILLISECONDS).catch((error: unknown) => {
      this.output.warn(`The server did not stop by itself: ${String(error)}`);
    });
    await process?.end();
  }

  private newClient(process: ServerProcess): LanguageClient {
    const client = newLanguageClient(this.context.extension, this.output, process, {
      onRunning: () => {
        if (this.client === client) {
          this.hasRun = true;
          this.setState({ kind: "running" });
        }
      },
      onClosed: () => {
        this.closed(client);
      },
      onIndexing: (token, percentage) => {
        if (percentage === undefined) {
          this.indexing.delete(token);
        } else {
          this.indexing.set(token, percentage);
        }
        this.changed.fire();
      },
      onStoresChanged: () => {
        this.changed.fire();
      },
    });
    return client;
  }

  /** The library never restarts it: whether that works has to be known here. */
  private closed(client: LanguageClient): void {
    // One that was stopped, or never got as far as to run, is told of by whoever started it.
    if (this.client === client && this.hasRun) {
      this.client = undefined;
      this.indexing.clear();
      // It may merely have closed its output.
      this.process?.kill();
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

import { beforeEach, describe, expect, test, vi } from "vitest";

/** A language client whose server starts and stops when the test says so. */
class FakeClient {
  static all: FakeClient[] = [];
  static get last(): FakeClient {
    const last = FakeClient.all.at(-1);
    if (last === undefined) {
      throw new Error("no client was made");
    }
    return last;
  }
  readonly stopped = deferred();
  readonly started = deferred();
  /** What answers a question. */
  answer: () => Promise<unknown> = () => Promise.resolve("answer");
  private onState: (event: { newState: number }) => void = () => undefined;

  constructor(
    _id: string,
    _name: string,
    _process: unknown,
    readonly options: { errorHandler: { closed: () => unknown }; markdown: unknown },
  ) {
    FakeClient.all.push(this);
  }

  registerFeature(): void {
    // Nothing here depends on it.
  }

  onDidChangeState(listener: (event: { newState: number }) => void): void {
    this.onState = listener;
  }

  async start(): Promise<void> {
    await this.started.promise;
    this.onState({ newState: 2 });
  }

  dispose(): Promise<void> {
    return this.stopped.promise;
  }

  sendRequest(): Promise<unknown> {
    return this.answer();
  }
}

/** What one that has ended said last; undefined while it runs. */
let lastWords: string | undefined;
/** Told when a start that failed has its environment made again. */
const discard = vi.fn(() => Promise.resolve());
/** Where a test wants the search for a server to take its time. */
let finding: (signal: AbortSignal) => Promise<unknown>;

function deferred(): { promise: Promise<void>; done: () => void; fail: (error: Error) => void } {
  let done!: () => void;
  let fail!: (error: Error) => void;
  const promise = new Promise<void>((resolve, reject) => {
    done = resolve;
    fail = reject;
  });
  return { promise, done, fail };
}

vi.mock("vscode", () => ({
  EventEmitter: class {
    readonly event = () => ({ dispose: () => undefined });
    fire(): void {
      // Nobody listens.
    }
    dispose(): void {
      // Nothing is held.
    }
  },
  window: { showErrorMessage: () => Promise.resolve(undefined) },
}));
vi.mock("../../src/findServer", () => ({
  findServer: (_context: unknown, _output: unknown, signal: AbortSignal) => finding(signal),
}));
vi.mock("../../src/serverProcess", () => ({
  ServerProcess: {
    start: () =>
      Promise.resolve({
        child: {},
        lastWords: () => Promise.resolve(lastWords),
        kill: () => {
          FakeClient.last.started.fail(new Error("the connection is closed"));
        },
        end: () => Promise.resolve(),
      }),
  },
}));
vi.mock("vscode-languageclient/node", () => ({
  CloseAction: { DoNotRestart: 1, Restart: 2 },
  ErrorAction: { Continue: 1 },
  State: { Running: 2 },
  ExecuteCommandRequest: { type: {} },
  get LanguageClient() {
    return FakeClient;
  },
}));

const { Server } = await import("../../src/server");
type ServerOf = InstanceType<typeof Server>;

function newServer(): ServerOf {
  const output = { error: vi.fn(), warn: vi.fn(), info: vi.fn() };
  return new Server({ extension: { packageJSON: {} } } as never, output as never);
}

async function client(count: number): Promise<FakeClient> {
  await vi.waitFor(() => {
    expect(FakeClient.all).toHaveLength(count);
  });
  return FakeClient.last;
}

async function runningServer(): Promise<ServerOf> {
  const server = newServer();
  const start = server.start();
  (await client(1)).started.done();
  await start;
  return server;
}

beforeEach(() => {
  FakeClient.all = [];
  lastWords = undefined;
  finding = () => Promise.resolve({ command: "x", discard });
  discard.mockClear();
});

describe("the server of a window", () => {
  test("is restarted twice where that is asked for twice, and runs in the end", async () => {
    const server = await runningServer();
    const first = FakeClient.last;
    const restarts = [server.restart(), server.restart()];
    await vi.waitFor(() => {
      expect(server.state.kind).toBe("stopped");
    });
    first.stopped.done();
    const second = await client(2);
    second.started.done();
    second.stopped.done();
    (await client(3)).started.done();
    await Promise.all(restarts);
    expect(server.state.kind).toBe("running");
    expect(await server.status()).toBe("answer");
  });

  test("that ends by itself is started again, and a question waits for it", async () => {
    const server = await runningServer();
    expect(FakeClient.last.options.errorHandler.closed()).toEqual({ action: 1, handled: true });
    expect(server.state.kind).toBe("starting");
    const answer = server.status();
    (await client(2)).started.done();
    expect(await answer).toBe("answer");
  });

  test("that ends while it is asked has the next one answer", async () => {
    const server = await runningServer();
    const first = FakeClient.last;
    first.answer = () => {
      first.options.errorHandler.closed();
      return Promise.reject(new Error("the connection is closed"));
    };
    const answer = server.status();
    (await client(2)).started.done();
    expect(await answer).toBe("answer");
  });

  test("that cannot be started again says so", async () => {
    const server = await runningServer();
    FakeClient.last.options.errorHandler.closed();
    (await client(2)).started.fail(new Error("no such program"));
    FakeClient.last.stopped.done();
    await vi.waitFor(() => {
      expect(server.state).toEqual({ kind: "failed", reason: "no such program" });
    });
  });

  test("that ends again and again is left alone", async () => {
    const server = await runningServer();
    for (let number = 2; number <= 5; number += 1) {
      FakeClient.last.options.errorHandler.closed();
      (await client(number)).started.done();
      await vi.waitFor(() => {
        expect(server.state.kind).toBe("running");
      });
    }
    FakeClient.last.options.errorHandler.closed();
    expect(server.state.kind).toBe("failed");
    await expect(server.status()).rejects.toThrow("ended by itself too often");
    expect(FakeClient.all).toHaveLength(5);
    const restart = server.restart();
    (await client(6)).started.done();
    await restart;
    expect(await server.status()).toBe("answer");
  });

  test("that dies while it starts says why, and has its environment made again", async () => {
    const server = newServer();
    const start = server.start();
    lastWords = "ModuleNotFoundError: No module named 'pygls'";
    (await client(1)).started.fail(new Error("the connection is closed"));
    FakeClient.last.stopped.done();
    await start;
    expect(server.state).toEqual({
      kind: "failed",
      reason: "The server cannot be started: ModuleNotFoundError: No module named 'pygls'",
    });
    expect(discard).toHaveBeenCalledOnce();
  });

  test("whose start hangs is replaced when that is asked for, without a word", async () => {
    const server = newServer();
    const start = server.start();
    const first = await client(1);
    first.stopped.done();
    const restart = server.restart();
    await start;
    expect(server.state.kind).not.toBe("failed");
    (await client(2)).started.done();
    await restart;
    expect(server.state.kind).toBe("running");
    expect(discard).not.toHaveBeenCalled();
  });

  test("that is still being installed is left when its window closes", async () => {
    const server = newServer();
    let isAborted = false;
    finding = (signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          isAborted = true;
          reject(new Error("cancelled"));
        });
      });
    const start = server.start();
    server.dispose();
    await start;
    expect(isAborted).toBe(true);
    expect(server.state.kind).toBe("stopped");
  });

  test("may have links run the command that shows all matches, and no other", async () => {
    await runningServer();
    expect(FakeClient.last.options.markdown).toEqual({
      isTrusted: { enabledCommands: ["priorArt.showAll"] },
      supportHtml: false,
    });
  });

  test("whose window closes is not started for a question that is still open", async () => {
    const server = await runningServer();
    FakeClient.last.answer = () => {
      server.dispose();
      return Promise.reject(new Error("the connection is closed"));
    };
    await expect(server.status()).rejects.toThrow("The server is not running");
    expect(FakeClient.all).toHaveLength(1);
  });

  test("is not started any more where the window closes before one is found", async () => {
    const server = newServer();
    const start = server.start();
    server.dispose();
    await start;
    expect(FakeClient.all).toHaveLength(0);
  });

  test("that answers with an error is not asked again", async () => {
    const server = await runningServer();
    FakeClient.last.answer = () => Promise.reject(new Error("the query is empty"));
    await expect(server.status()).rejects.toThrow("the query is empty");
    expect(FakeClient.all).toHaveLength(1);
  });
});

import { beforeEach, describe, expect, test, vi } from "vitest";

import type { Choice } from "../../src/python/chooseServer";

/** What the search for a Python was given. */
let choice: Choice;
/** What the Python extension is for this window; undefined where it is not installed. */
let pythonExtension: { activate: () => Promise<unknown> } | undefined;
const workspace = {
  isTrusted: true,
  workspaceFolders: [{ uri: { fsPath: "/w/one" } }, { uri: { fsPath: "/w/two" } }],
  getConfiguration: () => ({ get: (_key: string, otherwise: string) => otherwise }),
};

vi.mock("vscode", () => ({
  workspace,
  extensions: {
    getExtension: (id: string) => (id === "ms-python.python" ? pythonExtension : undefined),
  },
}));
vi.mock("node:fs/promises", () => ({
  mkdir: () => Promise.resolve(),
  readFile: () => Promise.resolve('{"file": "x.whl", "version": "1", "sha256": "0"}'),
}));
vi.mock("../../src/python/chooseServer", () => ({
  chooseServer: (given: Choice) => {
    choice = given;
    return Promise.resolve({ version: "1", origin: "private" });
  },
}));

const { findServer } = await import("../../src/findServer");

const output = { info: vi.fn(), warn: vi.fn() };

async function wishes(signal = new AbortController().signal) {
  const context = {
    globalStorageUri: { fsPath: "/s" },
    extensionPath: "/e",
    extension: { packageJSON: { priorArt: { oldestServer: "0.2.0" } } },
  };
  await findServer(context as never, output as never, signal, () => undefined);
  return choice.wishes;
}

/** As the Python extension's documentation has it. */
function withEnvironments(environments: object): { activate: () => Promise<unknown> } {
  return { activate: () => Promise.resolve({ environments }) };
}

beforeEach(() => {
  pythonExtension = undefined;
  workspace.isTrusted = true;
  output.warn.mockClear();
});

describe("the interpreter that the Python extension has active", () => {
  test("is none without that extension", async () => {
    expect(await (await wishes()).activeInterpreter()).toBeUndefined();
    expect(output.warn).not.toHaveBeenCalled();
  });

  test("is the one of the first folder", async () => {
    pythonExtension = withEnvironments({
      getActiveEnvironmentPath: ({ fsPath }: { fsPath: string }) => ({ path: `${fsPath}/.venv` }),
      resolveEnvironment: ({ path }: { path: string }) =>
        Promise.resolve({ executable: { uri: { fsPath: `${path}/bin/python` } } }),
    });
    expect(await (await wishes()).activeInterpreter()).toBe("/w/one/.venv/bin/python");
  });

  test.each([
    ["nothing is known of it", { getActiveEnvironmentPath: () => ({}), resolveEnvironment: () => undefined }],
    [
      "it has no file",
      {
        getActiveEnvironmentPath: () => ({}),
        resolveEnvironment: () => Promise.resolve({ executable: {} }),
      },
    ],
  ])("is none where %s", async (_name, environments) => {
    pythonExtension = withEnvironments(environments);
    expect(await (await wishes()).activeInterpreter()).toBeUndefined();
  });

  test("is none where the extension fails, which the output says", async () => {
    pythonExtension = { activate: () => Promise.reject(new Error("it is broken")) };
    expect(await (await wishes()).activeInterpreter()).toBeUndefined();
    expect(output.warn).toHaveBeenCalledWith(expect.stringContaining("it is broken"));
  });

  test("is not waited for when the start is given up", async () => {
    pythonExtension = { activate: () => new Promise(() => undefined) };
    const start = new AbortController();
    const asked = (await wishes(start.signal)).activeInterpreter();
    start.abort();
    expect(await asked).toBeUndefined();
  });
});

test("folders of a workspace that is not trusted are named", async () => {
  expect((await wishes()).untrustedFolders).toEqual([]);
  workspace.isTrusted = false;
  expect((await wishes()).untrustedFolders).toEqual(["/w/one", "/w/two"]);
});

test("an installation is given up with the start", async () => {
  const start = new AbortController();
  await wishes(start.signal);
  expect(choice.signal?.aborted).toBe(false);
  start.abort();
  expect(choice.signal?.aborted).toBe(true);
});

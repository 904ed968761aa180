import { existsSync } from "node:fs";
import * as path from "node:path";
import { describe, expect, test } from "vitest";

import { commandsOnPath, expand, findPython } from "../../../src/python/candidates";
import { probe } from "../../../src/python/probe";
import { isAtLeast, parseVersion } from "../../../src/python/version";
import { answer, fakePython, oddFolder } from "./fakes";

const nobody = (): Promise<undefined> => Promise.resolve(undefined);
const quiet = (): void => undefined;

function wishes(interpreter: string, active?: string) {
  return {
    interpreter,
    workspaceFolder: "/projects/space",
    untrustedFolders: [],
    activeInterpreter: () => Promise.resolve(active),
  };
}

describe("a probe", () => {
  test("of this machine's Python tells its version and where it is", async () => {
    const found = await probe(["python3"], oddFolder());
    expect(found).toMatchObject({ kind: "python", python: { command: ["python3"] } });
    expect(found.kind === "python" && path.isAbsolute(found.python.executable)).toBe(true);
  });

  test("is not misled by what others print", async () => {
    const noisy = fakePython(`echo hello; echo '{"version": [2, 7]}'; ${answer([3, 12, 1])}; echo bye`);
    expect(await probe([noisy], oddFolder())).toMatchObject({
      kind: "python",
      python: { version: [3, 12, 1] },
    });
  });

  test.each([
    ["an old one", answer([3, 9, 18]), { kind: "tooOld", version: [3, 9, 18] }],
    ["Python 2", answer([2, 7, 18]), { kind: "tooOld" }],
    [
      "the Store's alias",
      "echo 'Python was not found; run without arguments to install' >&2; exit 9009",
      { kind: "broken", reason: "Python was not found; run without arguments to install" },
    ],
    ["one that says nothing", "exit 3", { kind: "broken", reason: "it ended with exit code 3" }],
    ["one whose answer is cut", "printf 'prior-art-probe:{\"exe'", { kind: "broken" }],
  ])("knows %s", async (_name, script, expected) => {
    expect(await probe([fakePython(script)], oddFolder())).toMatchObject(expected);
  });

  test("knows what is not there, and what may not be run", async () => {
    expect(await probe([path.join(oddFolder(), "nothing")], oddFolder())).toMatchObject({ kind: "notFound" });
    expect(await probe([oddFolder()], oddFolder())).toMatchObject({
      kind: "broken",
      reason: "it could not be started (EACCES)",
    });
  });

  test("does not wait for ever", async () => {
    const found = await probe([fakePython("exec sleep 60")], oddFolder(), 300);
    expect(found).toMatchObject({ kind: "broken", reason: "it did not answer in time" });
  });
});

describe("the choice of a Python", () => {
  test("is the setting's, with its odd path", async () => {
    const python = fakePython(answer([3, 11, 2]), "python 3.11");
    const found = await findPython(wishes(python), oddFolder(), quiet);
    expect(found.command).toEqual([python]);
  });

  test.each([
    ["/nowhere/python", "/nowhere/python, cannot be used: there is no such program."],
    ["${workspaceFolder}/no", "/projects/space/no, cannot be used"],
  ])("is no other where the setting's %s cannot be used", async (interpreter, message) => {
    const fine = fakePython(answer([3, 12, 0]));
    await expect(findPython(wishes(interpreter, fine), oddFolder(), quiet)).rejects.toThrow(message);
  });

  test("is the Python extension's before what is on the PATH", async () => {
    const active = fakePython(answer([3, 10, 0]));
    expect((await findPython(wishes("", active), oddFolder(), quiet)).command).toEqual([active]);
  });

  test("goes on after one that is too old, and says so", async () => {
    const said: string[] = [];
    const found = await findPython(wishes("", fakePython(answer([3, 8, 1]))), oddFolder(), (line) =>
      said.push(line),
    );
    expect(found.command).toEqual(["python3"]);
    expect(said.join("\n")).toContain("it is Python 3.8.1, and 3.10 or newer is needed");
  });

  test("runs nothing that is in a workspace which is not trusted", async () => {
    const ran = path.join(oddFolder(), "ran");
    const python = fakePython(`: > "${ran}"; ${answer([3, 12, 0])}`);
    const untrustedFolders = ["/elsewhere", path.dirname(python)];
    const setting = { ...wishes(python), untrustedFolders };
    await expect(findPython(setting, oddFolder(), quiet)).rejects.toThrow(
      `${python}, cannot be used: it is in this workspace, which is not trusted.`,
    );
    const active = { ...wishes("", python), untrustedFolders };
    expect((await findPython(active, oddFolder(), quiet)).command).toEqual(["python3"]);
    expect(existsSync(ran)).toBe(false);
  });

  test.each(["..python", "other/../in", "in"])("has %s in a folder that is not trusted", async (name) => {
    const setting = { ...wishes(`/space/${name}`), untrustedFolders: ["/space"] };
    await expect(findPython(setting, oddFolder(), quiet)).rejects.toThrow("not trusted");
  });

  test.each(["/space-ship/python", "/space/../python", "/python"])("has %s in none", async (name) => {
    const setting = { ...wishes(name), untrustedFolders: ["/space"] };
    await expect(findPython(setting, oddFolder(), quiet)).rejects.toThrow("there is no such program");
  });

  test("says what was found where nothing can be used", async () => {
    const before = process.env.PATH;
    process.env.PATH = path.dirname(fakePython(answer([3, 7, 3]), "python3"));
    try {
      const choice = findPython({ ...wishes(""), activeInterpreter: nobody }, oddFolder(), quiet);
      await expect(choice).rejects.toThrow(
        /^No Python 3\.10 or newer was found \(found: python3, it is Python 3\.7\.3/u,
      );
    } finally {
      process.env.PATH = before;
    }
  });

  test("asks the launcher first on Windows alone", () => {
    expect(commandsOnPath("win32")[0]).toEqual(["py", "-3"]);
    expect(commandsOnPath("linux")).toEqual([["python3"], ["python"]]);
    expect(commandsOnPath("darwin")).toEqual([["python3"], ["python"]]);
  });

  test("understands ~ and ${workspaceFolder}", () => {
    expect(expand(" ~/bin/python ", undefined)).toMatch(/^\/.*\/bin\/python$/u);
    expect(expand("${workspaceFolder}/.venv/bin/python", "/w s")).toBe("/w s/.venv/bin/python");
    expect(expand("C:\\Python 3\\python.exe", undefined)).toBe("C:\\Python 3\\python.exe");
    expect(expand("~user/python", undefined)).toBe("~user/python");
    expect(expand("${workspaceFolder}/python", "/a/$& $$ b")).toBe("/a/$& $$ b/python");
    expect(expand("${workspaceFolder}/python", undefined)).toBe("${workspaceFolder}/python");
  });
});

describe("versions", () => {
  test.each([
    ["0.2.0", "0.2.0", true],
    ["0.2", "0.2.0", true],
    ["0.10.0", "0.2.0", true],
    ["0.1.9", "0.2.0", false],
    ["1", "0.2.0", true],
    ["0.3.0rc1", "0.2.0", true],
    ["0.1.0.dev4", "0.2.0", false],
  ])("%s counts as %s or newer: %s", (version, least, expected) => {
    expect(isAtLeast(parseVersion(version) ?? [], parseVersion(least) ?? [])).toBe(expected);
  });

  test("what is none is none", () => {
    expect(parseVersion("")).toBeUndefined();
    expect(parseVersion("unknown")).toBeUndefined();
  });
});

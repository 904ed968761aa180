import { expect, test, vi } from "vitest";

const set: Record<string, object> = {};
vi.mock("vscode", () => ({
  workspace: { getConfiguration: () => ({ inspect: (key: string) => set[key] }) },
}));

const { serverSettings } = await import("../../src/configuration");

test("the innermost value counts, null too, and a default does not", () => {
  set["memory.keeper"] = { defaultValue: "x", globalValue: "tide", workspaceValue: null };
  set["hover.enable"] = { defaultValue: true, globalValue: true, workspaceFolderValue: false };
  set.maxFileBytes = { defaultValue: 10 };
  set.interpreter = { globalValue: "python3" };
  expect(serverSettings(Object.keys(set), undefined)).toEqual({
    "memory.keeper": null,
    "hover.enable": false,
  });
});

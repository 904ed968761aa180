import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { expect, test, vi } from "vitest";

vi.mock("vscode", () => ({
  Uri: { file: (fsPath: string) => ({ fsPath }) },
  commands: { executeCommand: () => Promise.resolve() },
  window: {},
}));

const { showPage } = await import("../../src/pages");

test("pages that are asked for at once are all shown, and the last ones kept", async () => {
  const storage = mkdtempSync(path.join(tmpdir(), "pages "));
  const context = { storageUri: { fsPath: storage } } as never;
  const server = { page: () => Promise.resolve({ title: "Prior art: E1", markdown: "x" }) } as never;
  const questions = Array.from({ length: 60 }, (_, number) => `E${String(Math.floor(number / 2))}`);
  await Promise.all(questions.map((query) => showPage(context, server, { query })));
  await Promise.all(
    Array.from({ length: 45 }, (_, number) => showPage(context, server, { query: String(number) })),
  );
  expect(readdirSync(path.join(storage, "pages"))).toHaveLength(40);
});

test("a page that cannot be written does not hold up the next one", async () => {
  const storage = mkdtempSync(path.join(tmpdir(), "pages "));
  const context = { storageUri: { fsPath: storage } } as never;
  const page = vi.fn().mockRejectedValueOnce(new Error("the query is empty"));
  page.mockResolvedValue({ title: "Prior art: E1", markdown: "x" });
  const both = [
    showPage(context, { page } as never, { query: "" }),
    showPage(context, { page } as never, { query: "E1" }),
  ];
  await expect(both[0]).rejects.toThrow("the query is empty");
  await both[1];
  expect(readdirSync(path.join(storage, "pages"))).toHaveLength(1);
});

test("a page whose answer never comes does not hold up the next one", async () => {
  const storage = mkdtempSync(path.join(tmpdir(), "pages "));
  const context = { storageUri: { fsPath: storage } } as never;
  const page = vi.fn().mockReturnValueOnce(new Promise(() => undefined));
  page.mockResolvedValue({ title: "Prior art: E1", markdown: "x" });
  void showPage(context, { page } as never, { query: "E0" });
  await showPage(context, { page } as never, { query: "E1" });
  expect(readdirSync(path.join(storage, "pages"))).toHaveLength(1);
});

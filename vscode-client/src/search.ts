/** The search: a list that follows every letter typed, over all sources or ranked for a plan or a question. */

import * as vscode from "vscode";

import { insertMatch, openMatch, copyText } from "./matchActions";
import { capitalized, bySource, describe, gaps, ICONS, nothingFound } from "./presentation";
import {
  SOURCES,
  type About,
  type LookUp,
  type LookUpOptions,
  type Match,
  type Search,
  type SourceName,
} from "./protocol";
import { MAX_QUERY_CHARACTERS, parseQuery } from "./query";
import type { Server } from "./server";

const TYPING_MILLISECONDS = 80;
const PREVIEW_MILLISECONDS = 150;

const TITLES: Readonly<Record<About, string>> = {
  everything: "Search Prior Art",
  contracts: "Find Contracts for a Plan",
  knowledge: "Ask Published Knowledge",
};
const PLACEHOLDERS: Readonly<Record<About, string>> = {
  everything: "A code, a name or a phrase. “wiki: …” or “wiki, board: …” looks in these alone",
  contracts: "What the unit should do in words, a tag, or a work-plan id",
  knowledge: "A question in words",
};

const COPY_BUTTON: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("copy"), tooltip: "Copy" };
const INSERT_BUTTON: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("insert"),
  tooltip: "Insert at the Cursor",
};
const ASIDE_BUTTON: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("split-horizontal"),
  tooltip: "Open to the Side",
};
const FILTER_BUTTON: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("filter"),
  tooltip: "Choose the Sources",
};
const PAGE_BUTTON: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("open-preview"),
  tooltip: "Show All as a Page",
};

/** A row of the list: a match, or something to be told that leads on. */
interface Row extends vscode.QuickPickItem {
  readonly match?: Match;
  readonly command?: "page" | "status";
}

export interface SearchOptions {
  readonly about: About;
  /** What stands in the box at first. */
  readonly typed: string;
  /** Told when a search ends, by choosing or by leaving. */
  readonly onSearch: (search: Search) => void;
  readonly showPage: (asked: LookUpOptions) => Promise<void>;
  readonly showStatus: () => Promise<void>;
}

/** Open the list and let it work until it is left. */
export function openSearch(server: Server, options: SearchOptions): void {
  const pick = vscode.window.createQuickPick<Row>() as vscode.QuickPick<Row> & { sortByLabel?: boolean };
  // The server has ordered them; without this the list would put those first whose label holds what was typed.
  pick.sortByLabel = false;
  pick.title = TITLES[options.about];
  pick.placeholder = PLACEHOLDERS[options.about];
  pick.value = options.typed;
  pick.buttons = options.about === "everything" ? [FILTER_BUTTON, PAGE_BUTTON] : [PAGE_BUTTON];
  pick.keepScrollPosition = true;

  const document = documentUri();
  const preview = new Preview();
  let asking: vscode.CancellationTokenSource | undefined;
  let typing: NodeJS.Timeout | undefined;
  let last: Search | undefined;
  let chosenSources: readonly SourceName[] | undefined;
  let isChoosingSources = false;

  const question = (): LookUpOptions => {
    const { query, sources = chosenSources } = parseQuery(pick.value);
    return {
      query,
      about: options.about,
      ...(options.about === "everything" && sources !== undefined ? { source: sources } : {}),
      ...document,
    };
  };
  const search = async (): Promise<void> => {
    asking?.cancel();
    const asked = question();
    const { query } = asked;
    if (query === "") {
      pick.items = [];
      pick.busy = false;
      return;
    }
    if (Array.from(query).length > MAX_QUERY_CHARACTERS) {
      pick.items = [
        told(`At most ${String(MAX_QUERY_CHARACTERS)} characters are searched; shorten the query`, "info"),
      ];
      return;
    }
    const current = (asking = new vscode.CancellationTokenSource());
    pick.busy = true;
    try {
      const answer = await server.lookUp(asked, current.token);
      if (!current.token.isCancellationRequested) {
        last = { asked, answer };
        pick.items = rows(answer);
      }
    } catch (error) {
      if (!current.token.isCancellationRequested) {
        pick.items = [told(error instanceof Error ? error.message : String(error), "error")];
      }
    } finally {
      if (asking === current) {
        pick.busy = false;
      }
      current.dispose();
    }
  };
  const searchSoon = (): void => {
    clearTimeout(typing);
    typing = setTimeout(() => void search(), TYPING_MILLISECONDS);
  };
  const leave = (): void => {
    preview.keep();
    pick.hide();
  };
  const page = async (): Promise<void> => {
    const asked = question();
    if (asked.query !== "") {
      leave();
      await options.showPage(asked);
    }
  };

  pick.onDidChangeValue(searchSoon);
  pick.onDidChangeActive(([row]) => {
    preview.show(row?.match);
  });
  pick.onDidAccept(async () => {
    const row = pick.selectedItems[0];
    if (row?.match !== undefined) {
      leave();
      await openMatch(row.match, { preview: false });
    } else if (row?.command === "page") {
      await page();
    } else if (row?.command === "status") {
      leave();
      await options.showStatus();
    }
  });
  pick.onDidTriggerItemButton(async ({ item, button }) => {
    if (item.match === undefined) {
      return;
    }
    if (button === COPY_BUTTON) {
      await copyText(item.match.copy);
      return;
    }
    if (button === INSERT_BUTTON) {
      await preview.restore();
      preview.keep();
      pick.hide();
      await insertMatch(server, { match: item.match, query: last?.answer.query ?? "" });
    } else {
      leave();
      await openMatch(item.match, { viewColumn: vscode.ViewColumn.Beside, preview: false });
    }
  });
  pick.onDidTriggerButton(async (button) => {
    if (button === PAGE_BUTTON) {
      await page();
      return;
    }
    // The list of sources takes this one's place for a while.
    isChoosingSources = true;
    chosenSources = (await chooseSources(chosenSources)) ?? chosenSources;
    isChoosingSources = false;
    pick.title =
      chosenSources === undefined ? TITLES.everything : `${TITLES.everything} in ${chosenSources.join(", ")}`;
    pick.show();
    await search();
  });
  pick.onDidHide(async () => {
    if (isChoosingSources) {
      return;
    }
    clearTimeout(typing);
    asking?.cancel();
    pick.dispose();
    if (last !== undefined) {
      options.onSearch(last);
    }
    await preview.restore();
  });
  pick.show();
  searchSoon();
}

function rows(answer: LookUp): Row[] {
  const found: Row[] = [];
  for (const [source, matches] of bySource(answer.matches)) {
    const count = answer.sources[source]?.total_count ?? matches.length;
    const more = count > matches.length ? ` · ${String(matches.length)} of ${String(count)}` : "";
    found.push({ label: `${capitalized(source)}${more}`, kind: vscode.QuickPickItemKind.Separator });
    found.push(...matches.map(matchRow));
  }
  const notes = gaps(answer).map((gap): Row => ({ ...told(gap, "warning"), command: "status" }));
  if (answer.matches.length === 0) {
    return [told(nothingFound(answer), "info"), ...notes];
  }
  const all: Row = {
    ...told(`Show ${String(answer.total_count)} as a page`, "open-preview"),
    command: "page",
  };
  return [...found, { label: "", kind: vscode.QuickPickItemKind.Separator }, ...notes, all];
}

function matchRow(match: Match): Row {
  return {
    match,
    label: match.text,
    description: describe(match),
    iconPath: new vscode.ThemeIcon(ICONS[match.source]),
    buttons: [COPY_BUTTON, INSERT_BUTTON, ASIDE_BUTTON],
    alwaysShow: true,
  };
}

function told(text: string, icon: string): Row {
  return { label: text, iconPath: new vscode.ThemeIcon(icon), alwaysShow: true };
}

async function chooseSources(
  chosen: readonly SourceName[] | undefined,
): Promise<readonly SourceName[] | undefined> {
  const items = SOURCES.map((source) => ({
    label: capitalized(source),
    iconPath: new vscode.ThemeIcon(ICONS[source]),
    picked: chosen === undefined || chosen.includes(source),
    source,
  }));
  const picked = await vscode.window.showQuickPick(items, { canPickMany: true, title: "Sources to Search" });
  return picked === undefined || picked.length === 0 ? undefined : picked.map(({ source }) => source);
}

/** The document that the search is asked from; a match that is looked at takes its place in the editor. */
function documentUri(): { uri?: string } {
  const uri = vscode.window.activeTextEditor?.document.uri;
  return uri?.scheme === "file" ? { uri: uri.toString() } : {};
}

/** Shows the row that is looked at in the editor, and puts back what was there before. */
class Preview {
  private readonly before = vscode.window.activeTextEditor;
  private readonly visible = this.before?.visibleRanges[0];
  private readonly filesBefore = new Set(fileTabs().map(({ uri }) => uri));
  private timer: NodeJS.Timeout | undefined;
  /** Resolved when the last match that was to be shown is. */
  private shown: Promise<void> | undefined;
  private isKept = false;

  show(match: Match | undefined): void {
    clearTimeout(this.timer);
    if (match === undefined) {
      return;
    }
    this.timer = setTimeout(() => {
      this.shown = openMatch(match, { preview: true, preserveFocus: true }).catch(() => undefined);
    }, PREVIEW_MILLISECONDS);
  }

  /** Leave the editor as it is. */
  keep(): void {
    clearTimeout(this.timer);
    this.isKept = true;
  }

  async restore(): Promise<void> {
    clearTimeout(this.timer);
    // One that is still on its way would come to lie over what is put back.
    await this.shown;
    if (this.isKept || this.shown === undefined) {
      return;
    }
    if (this.before !== undefined) {
      const { document, viewColumn, selection } = this.before;
      const editor = await vscode.window.showTextDocument(document, {
        viewColumn: viewColumn ?? vscode.ViewColumn.Active,
        selection,
      });
      if (this.visible !== undefined) {
        editor.revealRange(this.visible, vscode.TextEditorRevealType.AtTop);
      }
    }
    const own = fileTabs().filter(({ tab, uri }) => tab.isPreview && !this.filesBefore.has(uri));
    await vscode.window.tabGroups.close(
      own.map(({ tab }) => tab),
      true,
    );
  }
}

function fileTabs(): { tab: vscode.Tab; uri: string }[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.flatMap((tab) =>
    tab.input instanceof vscode.TabInputText ? [{ tab, uri: tab.input.uri.toString() }] : [],
  );
}

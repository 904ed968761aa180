/** The match that somebody looks at in a list, shown in the editor; and what was there before, put back. */

import * as vscode from "vscode";

import { openMatch } from "./matchActions";
import type { Match } from "./protocol";

const PREVIEW_MILLISECONDS = 150;

export class Preview {
  private readonly before = vscode.window.activeTextEditor;
  private readonly visible = this.before?.visibleRanges[0];
  /** A comparison, a notebook or a picture could not be put back as it was. */
  private readonly mayShow = isTextOrNothing(vscode.window.tabGroups.activeTabGroup.activeTab);
  private readonly filesBefore = new Set(fileTabs().map(({ uri }) => uri));
  /** A tab for looking at files, of which a group has one: a match takes its place. */
  private readonly previewBefore = fileTabs().find(({ tab }) => tab.isPreview && tab.group.isActive);
  private readonly shownFiles = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  /** Resolved when the last match that was to be shown is. */
  private showing: Promise<void> | undefined;
  private isKept = false;

  /** Show a match after a moment, for keys that are held run past many; without one, leave the editor as it is. */
  show(match: Match | undefined): void {
    clearTimeout(this.timer);
    if (match === undefined || !this.mayShow) {
      return;
    }
    this.timer = setTimeout(() => {
      this.showing = openMatch(match, { preview: true, preserveFocus: true }).then(
        (editor) => void this.shownFiles.add(editor.document.uri.toString()),
        () => undefined,
      );
    }, PREVIEW_MILLISECONDS);
  }

  /** Somebody has decided: what was there before is not put back. */
  keep(): void {
    clearTimeout(this.timer);
    this.isKept = true;
  }

  /** Put back what was there before. */
  async restore(): Promise<void> {
    clearTimeout(this.timer);
    // One that is still on its way would come to lie over what is put back.
    await this.showing;
    if (this.isKept || this.showing === undefined) {
      return;
    }
    const { previewBefore } = this;
    if (previewBefore !== undefined && !fileTabs().some(({ uri }) => uri === previewBefore.uri)) {
      await vscode.window.showTextDocument(vscode.Uri.parse(previewBefore.uri), {
        viewColumn: previewBefore.tab.group.viewColumn,
        preserveFocus: true,
        preview: true,
      });
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
    await this.closeShown();
  }

  /** Close the files that were only looked at, all but the one that was chosen. */
  async closeShown(chosen?: vscode.Uri): Promise<void> {
    await this.showing;
    const own = fileTabs().filter(
      ({ tab, uri }) =>
        this.shownFiles.has(uri) &&
        !this.filesBefore.has(uri) &&
        uri !== chosen?.toString() &&
        // Where every tab stays open, somebody may have written into one.
        !tab.isDirty,
    );
    await vscode.window.tabGroups.close(
      own.map(({ tab }) => tab),
      true,
    );
  }
}

function isTextOrNothing(tab: vscode.Tab | undefined): boolean {
  return tab === undefined || tab.input instanceof vscode.TabInputText;
}

function fileTabs(): { tab: vscode.Tab; uri: string }[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.flatMap((tab) =>
    tab.input instanceof vscode.TabInputText ? [{ tab, uri: tab.input.uri.toString() }] : [],
  );
}

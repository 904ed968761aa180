"""lsp-mode in a real Emacs: beside another server, actions that the editor runs, and the life of the server."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from emacs_runner import Emacs

COMPANION = [sys.executable, str(Path(__file__).with_name("companion_server.py"))]

START = """
(setq lsp-auto-guess-root t
      lsp-enable-snippet nil
      lsp-session-file (expand-file-name "session" "~"))
(defun user-servers ()
  "The names of the servers of this buffer that are ready."
  (let (names)
    (dolist (workspace (lsp-workspaces) (sort names #'string<))
      (when (eq 'initialized (lsp--workspace-status workspace))
        (push (symbol-name (lsp--client-server-id (lsp--workspace-client workspace))) names)))))
(defun user-start (&rest names)
  "Start lsp-mode and wait for the servers of NAMES."
  (lsp)
  (user-await "the servers" (lambda () (equal names (user-servers)))))
(defun user-hover ()
  "What is described at point; nil where nothing is known."
  (when (get-buffer "*lsp-help*") (kill-buffer "*lsp-help*"))
  (lsp-describe-thing-at-point)
  (when (get-buffer "*lsp-help*")
    (with-current-buffer "*lsp-help*" (user-text))))
(defun user-act ()
  "Choose among the code actions at point."
  (lsp-execute-code-action (lsp--select-action (lsp-code-actions-at-point))))
"""
WITH_COMPANION = f"""
(lsp-register-client
 (make-lsp-client :new-connection (lsp-stdio-connection '({" ".join(map(json.dumps, COMPANION))}))
                  :major-modes '(python-mode)
                  :server-id 'companion
                  :priority 9))
(user-start "companion" "prior-art")
"""


def test_hover_beside_another_server_holds_both(lsp_mode: Emacs) -> None:
    both, one, none = lsp_mode.play(f"""{START}{WITH_COMPANION}
        (list (progn (user-go-to "E4217") (user-hover))
              (progn (user-go-to "raise") (user-hover))
              (progn (user-go-to "return") (user-hover)))
    """)
    assert "An exception is raised here." in both
    assert "Signing errors" in both
    assert one.strip() == "An exception is raised here."
    assert none is None


def test_actions_and_search_beside_another_server(lsp_mode: Emacs) -> None:
    cited, copied, listed, place = lsp_mode.play(f"""{START}{WITH_COMPANION}
        (user-go-to "E4217")
        (list (progn (user-choosing "cite" (user-act))
                     (user-go-to "\\"E4217\\", f")
                     (forward-line -1)
                     (buffer-substring-no-properties (point) (line-end-position)))
              (progn (user-go-to "E4217") (user-choosing "copy" (user-act)) (current-kill 0))
              (progn (user-choosing "show all" (user-act))
                     (with-current-buffer "*Prior art*" (user-text)))
              (progn (user-choosing "open wiki: Signing errors" (user-act))
                     (format "%s:%d" buffer-file-name (line-number-at-pos))))
    """)
    assert cited.lstrip().startswith("# ")
    assert "E4217" in cited
    assert "Refuse a rotation while the clock is off" in copied
    assert listed.startswith("E4217: 9 found, complete\n")
    assert place.endswith("e42xx-signing-errors.md:10")


def test_hover_and_citation_in_a_file_with_emoji_and_hangul(lsp_mode: Emacs) -> None:
    file = lsp_mode.workspace / "src" / "wide.py"
    line = 'print("서명 오류", "E4217")'
    file.write_text(f'print("⚓🚢")\n{line}\n', "utf-8")
    hover, text = lsp_mode.play(
        f"""{START}
        (user-start "prior-art")
        (user-go-to "E4217")
        (list (user-hover)
              (progn (user-choosing "cite" (user-act)) (user-text)))
        """,
        file,
    )
    assert "Signing errors" in hover
    _, citation, same = text.splitlines()
    assert citation.startswith("# ")
    assert same == line


def test_a_mode_without_a_server_of_its_own_is_served(lsp_mode: Emacs) -> None:
    hover = lsp_mode.play(
        f"""{START}
        (user-start "prior-art")
        (user-go-to "E3104")
        (user-hover)
        """,
        lsp_mode.workspace / "build.log",
    )
    assert "Prior art" in hover
    assert "E3104" in hover


def test_a_store_that_changes_is_seen_and_a_restart_survived(lsp_mode: Emacs) -> None:
    page = lsp_mode.workspace / "docs" / "wiki" / "tides.md"
    file = lsp_mode.workspace / "src" / "tides.py"
    file.write_text('TIDE = "E9999"\n', "utf-8")
    before, changed, restarted, server = lsp_mode.play(
        f"""{START}
        (user-start "prior-art")
        (user-go-to "E9999")
        (let ((before (user-hover)) changed)
          (write-region "# High tides\\n\\nE9999 is a high tide.\\n" nil {json.dumps(str(page))})
          (setq changed (user-await "the new page" (lambda ()
            (let ((text (user-hover))) (and text (string-match-p "High tides" text) text)))))
          (let ((old (car (lsp-workspaces))))
            (lsp-workspace-restart old)
            (user-await "the new server" (lambda ()
              (and (not (eq old (car (lsp-workspaces)))) (equal '("prior-art") (user-servers)))))
            (list before changed (user-hover) (if (eq old (car (lsp-workspaces))) "old" "new"))))
        """,
        file,
    )
    assert before is None or "High tides" not in before
    assert restarted == changed
    assert server == "new"

"""eglot in a real Emacs: hover, code actions, search, and the life of the server."""

from __future__ import annotations

import json

from emacs_runner import Emacs

START = """
(apply #'eglot--connect (eglot--guess-contact))
;; What takes longer than 3 s eglot waits for in the background.
(user-await "the server" #'eglot-current-server)
(defun user-hover ()
  "What eldoc is given for point; nil where nothing is known."
  (let ((answer 'none))
    (eglot-hover-eldoc-function
     (lambda (text &rest _) (setq answer (and text (substring-no-properties text)))))
    (user-await "a hover" (lambda () (not (eq answer 'none))))
    answer))
(defun user-act ()
  "Choose among the code actions at point."
  (let ((last-nonmenu-event ?a)) ; A key, or a mouse's menu would be wanted.
    (eglot-code-actions (point) nil nil t)))
"""


def test_hover_says_what_is_known_and_else_nothing(eglot: Emacs) -> None:
    known, unknown = eglot.play(f"""{START}
        (list (progn (user-go-to "E4217") (user-hover))
              (progn (user-go-to "raise") (user-hover)))
    """)
    assert "Prior art" in known
    assert "Signing errors" in known
    assert unknown is None


def test_hover_and_citation_after_emoji_and_hangul(eglot: Emacs) -> None:
    file = eglot.workspace / "src" / "wide.py"
    line = 'print("⚓🚢 서명 오류", "E4217")'
    file.write_text(f"{line}\n", "utf-8")
    hover, text = eglot.play(
        f"""{START}
        (user-go-to "E4217")
        (list (user-hover)
              (progn (user-choosing "cite" (user-act)) (user-text)))
        """,
        file,
    )
    assert "Signing errors" in hover
    citation, same = text.splitlines()
    assert citation.startswith("# ")
    assert "E4217" in citation
    assert same == line


def test_open_visits_the_place(eglot: Emacs) -> None:
    file, line = eglot.play(f"""{START}
        (user-go-to "E4217")
        (user-choosing "open wiki: Signing errors" (user-act))
        (list buffer-file-name (line-number-at-pos))
    """)
    assert file == str(eglot.workspace / "docs" / "wiki" / "e42xx-signing-errors.md")
    assert line == 10


def test_search_lists_places_that_can_be_visited(eglot: Emacs) -> None:
    listed, file, line = eglot.play(f"""{START}
        (prior-art-search "E4217")
        (set-buffer "*Prior art*")
        (let ((listed (user-text)))
          (user-go-to "wiki: Signing errors")
          (compile-goto-error)
          (set-buffer (window-buffer))
          (list listed buffer-file-name (line-number-at-pos)))
    """)
    assert listed.startswith("E4217: 9 found, complete\n")
    assert "memory: E4217 means that" in listed
    assert "contracts: " in listed
    assert file == str(eglot.workspace / "docs" / "wiki" / "e42xx-signing-errors.md")
    assert line == 10


def test_a_place_whose_name_has_blanks_can_be_visited(eglot: Emacs) -> None:
    page = eglot.workspace / "docs" / "wiki" / "high - tides 12.md"
    page.write_text("# Tides\n\nE9999 is a high tide.\n", "utf-8")
    file, line = eglot.play(f"""{START}
        (prior-art-search "E9999")
        (set-buffer "*Prior art*")
        (user-go-to "wiki: Tides")
        (compile-goto-error)
        (set-buffer (window-buffer))
        (list buffer-file-name (line-number-at-pos))
    """)
    assert (file, line) == (str(page), 3)


def test_search_names_what_could_not_be_read(eglot: Emacs) -> None:
    page = eglot.workspace / "docs" / "wiki" / "tides.md"
    page.write_bytes(b"# Tides\n\xff\xfe\xfa\n")
    listed = eglot.play(f"""{START}
        (prior-art-search "E9999")
        (set-buffer "*Prior art*")
        (user-text)
    """)
    assert listed.startswith("E9999: 0 found, incomplete\n")
    assert "tides.md: not valid UTF-8" in listed


def test_search_without_a_server_says_what_to_do(eglot: Emacs) -> None:
    said = eglot.play('(condition-case said (prior-art-search "E4217") (user-error (cadr said)))')
    assert said == "No server in this buffer; start eglot or lsp first"


def test_a_store_that_changes_is_seen_and_a_restart_survived(eglot: Emacs) -> None:
    page = eglot.workspace / "docs" / "wiki" / "tides.md"
    file = eglot.workspace / "src" / "tides.py"
    file.write_text('TIDE = "E9999"\n', "utf-8")
    seen = eglot.play(
        f"""{START}
        (user-go-to "E9999")
        (let ((before (user-hover)) changed)
          (write-region "# High tides\\n\\nE9999 is a high tide.\\n" nil {json.dumps(str(page))})
          (setq changed (user-await "the new page" (lambda ()
            (let ((text (user-hover))) (and text (string-match-p "High tides" text) text)))))
          (let ((old (eglot-current-server)))
            (eglot-reconnect old)
            (user-await "the next server" #'eglot-current-server)
            (list before changed (user-hover) (if (eq old (eglot-current-server)) "old" "new"))))
        """,
        file,
    )
    before, changed, restarted, server = seen
    assert before is None or "High tides" not in before
    assert restarted == changed
    assert server == "new"

"""File names: links, URIs, quoted and plain paths, with the place behind them left out."""

from __future__ import annotations

import re
from urllib.parse import unquote

from lsp_server.cursor.target import Target, match_over
from lsp_server.cursor.words import (
    CODE_WORDS,
    COMMANDS,
    DOCUMENT_EXTENSIONS,
    DOTFILES,
    FILE_EXTENSIONS,
    PROSE_WORDS,
    RECEIVERS,
    SHY_EXTENSIONS,
    WELL_KNOWN_FILES,
)

_LINK = re.compile(
    r"""
    (?: \]\( | ^\ {0,3}\[[^\[\]]*\]: ) [ \t]*
    (?: < (?P<angled>[^<>]*) > | (?P<bare> [^\s<>()]+ (?: \([^\s<>()]*\) [^\s<>()]* )* ) )
    """,
    re.VERBOSE,
)
_FILE_URI = re.compile(r"file://[^/\s\"'<>`()]*(?P<path>/[^\s\"'<>`()?#,;]*)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_QUOTED = re.compile(r"\"(?P<double>[^\"]*)\"|`(?P<code>[^`]*)`|(?<!\w)'(?P<single>[^']*)'")
_PATH_RUN = re.compile(
    r"""
    (?: (?<![A-Za-z0-9]) [A-Za-z]: (?=[\\/]) )?                           # drive
    (?: \\[ ](?=\S) | \$\{\w+\} | (?<=[/\\]) (?: \[{1,2}[\w.-]+\]{1,2} | \([\w-]+\)(?=/) )
      | [^\s"'`<>|*?:;,=(){}\[\]!&^\#“”‘’«»「」『』（）【】《》〈〉、。，：；！？…—–→·•]
    )+
    """,
    re.VERBOSE,
)
_PLACE = re.compile(r":\d|\(\d+(?:,\s*\d+)?\)|#L?\d|:line\s")
_CODE_AFTER = re.compile(r"\s*(?:=|\+|\*(?!\*)|/(?!/)|<|\?|->)|[(\[;]|\s+import\b")
_CODE_BEFORE = re.compile(rf"(?:[-+/%=<>!?&|(\[,]|(?<!\*)\*|\b(?:{'|'.join(CODE_WORDS)}))[ ]*$")
_ROOT = re.compile(
    r"[A-Za-z]:[\\/]|\\\\[\w.-]{2,}\\(?!\\)|\\{4}[\w.-]{2,}\\\\|/|~/|\.{1,2}[\\/]|\.[\w-]+[\\/]|\$\{\w+\}/|\$\w+/"
)
_WRITTEN_ON = r"(?=[^\x00-\x7f]*$)"  # a Korean particle, say
_ENDING = re.compile(rf"\.([A-Za-z0-9]{{1,14}})((?:\.\d+)*){_WRITTEN_ON}")
_DOTFILE = re.compile(rf"\.(?:{'|'.join(DOTFILES)}){_WRITTEN_ON}")
_WELL_KNOWN = re.compile(rf"(?:{'|'.join(sorted(WELL_KNOWN_FILES))})(?:\.[A-Za-z]\w*|-[A-Z]+)?{_WRITTEN_ON}")
_SHARED_OBJECT = re.compile(r"[\w.+-]+\.so(?:\.\d+)+")
_DIFF_HEADER = re.compile(r"(?:diff --git|---|\+\+\+) ")


def linked_file(line: str, column: int) -> Target | None:
    """A Markdown link's target: percent-decoded, without its `#anchor` and `?query`."""
    match = match_over(_LINK, line, column)
    group = "angled" if match and match["angled"] is not None else "bare"
    if match is None or not match.start(group) <= column < match.end(group):
        return None
    destination = re.split(r"[?#]", match[group], maxsplit=1)[0]
    path = _decoded(destination)
    # `handlers[name](event)` and `handlers[name](user.value)` are calls.
    ending = _ending_of(path)
    is_path = ending in FILE_EXTENSIONS or ending in SHY_EXTENSIONS or "/" in path or path != destination
    if _SCHEME.match(destination) or not is_path:
        return None
    return Target("filename", path, *match.span(group)) if path.strip("/.") else None


def file_uri(line: str, column: int) -> Target | None:
    """The path of a `file:` URI."""
    match = match_over(_FILE_URI, line, column)
    if match is None:
        return None
    path = re.sub(r"(?::\d+){1,2}$|[.:]+$", "", match["path"])
    text = _decoded(path)
    text = text[1:] if re.match(r"/[A-Za-z]:/", text) else text
    end = match.start("path") + len(path)
    return Target("filename", text, match.start(), end) if column < end and text.strip("/") else None


def quoted_file(line: str, column: int) -> Target | None:
    """A name with blanks in it: only quotes can say where it starts and ends."""
    match = match_over(_QUOTED, line, column)
    if match is None or match.lastgroup is None:
        return None
    text = match[match.lastgroup]
    ending = _ending_of(_name_of(text))
    if (
        " " not in text
        or text != text.strip()
        or not ending
        or _NEVER_IN_PATHS.search(text)
        or _is_command(text)
    ):
        return None
    before = line[: match.start()]
    rooted = _ROOT.match(text) is not None or "/" in text.split(" ")[0] or before.endswith("File ")
    if not rooted and (ending not in FILE_EXTENSIONS | SHY_EXTENSIONS or _is_sentence(text)):
        return None
    return Target("filename", _unescaped(text), *match.span(match.lastgroup))


_NEVER_IN_PATHS = re.compile(r"[<>|*?=;{}\t]|(?<!^[A-Za-z]):|:(?![\\/])")


def _is_command(text: str) -> bool:
    """Whether a quoted text runs something on a file: `python main.py`, `./run.sh a.toml`."""
    first, *others = text.split(" ")
    if first in COMMANDS or any(re.match(r"--?\w", word) for word in others):
        return True
    return any(_ending_of(_name_of(word)) in FILE_EXTENSIONS for word in (first, *others[:-1]))


def _is_sentence(text: str) -> bool:
    """Whether a quoted text that ends in a file name speaks about it: "cannot open deploy.sh"."""
    words = [word.strip(".()").lower() for word in re.split(r"[ /\\]+", text)[:-1]]
    return len(words) > 5 or "," in text or (words != ["a"] and not PROSE_WORDS.isdisjoint(words))


def _name_of(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]


def plain_file(line: str, column: int) -> Target | None:
    """A name without blanks: a run of path characters that looks like a file where it stands."""
    match = match_over(_PATH_RUN, line, column)
    if match is None:
        return None
    start, text = match.start(), match[0]
    if re.match(r"[A-Za-z]:|\\\\", text):
        text = text.split(" ")[0]
    lead = _NO_PART_OF_NAME.match(text)
    # What `${base}/` or `f(x)/` stands for is unknown, the name after it is not.
    skipped = lead.end() if lead else int(text.startswith("/") and line[:start].endswith((")", "}")))
    start, text = start + skipped, text[skipped:].rstrip(".-+@~$%")
    name_start = len(text) - len(_name_of(text))
    text = text[: name_start + _name_end(text[name_start:])]
    end = start + len(text)
    if not start <= column < end or not _is_file(text, line[:start], line[end:]):
        return None
    if _DIFF_HEADER.match(line) and text.startswith(("a/", "b/")):
        text = text[2:]
    return Target("filename", _unescaped(text), start, end)


_NO_PART_OF_NAME = re.compile(
    r"-+|/{2,}|\.{3,}|@(?!.*/)"
    # Chinese and Japanese write a name into the sentence without a blank.
    r"|(?=[^\x00-\x7f]*[\u3040-\u30ff\u3400-\u9fff][A-Za-z_]{3})[^\x00-\x7f]+"
    r"|[^/\\.]*[\u3040-\u309f](?=[A-Za-z~]|\.{1,2}/)"
)


def _is_file(text: str, before: str, after: str) -> bool:
    name = _name_of(text)
    stem, ending = name.split(".")[0], _ending_of(name)
    separated = len(name) < len(text)
    placed = _PLACE.match(after) is not None
    quoted = before[-1:] in _OPENING and after[:1] in _CLOSING
    if after.startswith("(") and not placed:
        return False  # a call
    if ".." in name:
        return False  # a range (`WP-ST-1..6.md`) or a gap
    if text.startswith(".") and before.endswith((")", "]", "}", "*")):
        return False  # a member or a pattern
    if _WELL_KNOWN.fullmatch(name) or _DOTFILE.fullmatch(name) or _SHARED_OBJECT.fullmatch(name):
        return separated or not re.match(r"\s*=(?!=)|::", after)
    document = len(stem) == 1 and ending in DOCUMENT_EXTENSIONS  # `e.md`, but `e.path`
    if text.split(".")[0] in RECEIVERS and not (separated or placed or document):
        return False
    certain = separated or placed or quoted
    if ending in FILE_EXTENSIONS and len(ending) > 1 and (stem or name.count(".") > 1):
        return certain or not re.match(r"\s*=(?![=>])|\s*->", after)
    if ending in FILE_EXTENSIONS and stem:
        # `main.c` is a file, `a.b.c` and the `h` of `rect.h + 1` are not.
        plain = name.count(".") == 1 and len(stem) > 1 and not _CODE_AFTER.match(after)
        return placed or quoted or plain or (separated and len(text) > len("a/b.c"))
    if ending in SHY_EXTENSIONS and stem:
        certain = certain or _ending_of(name[: -len(ending) - 1]) in FILE_EXTENSIONS
        return certain or not (_CODE_AFTER.match(after) or _CODE_BEFORE.search(before) or len(stem) < 2)
    return separated and _is_path(text, name, before, quoted)


_OPENING = ('"', "'", "`", "<")
_CLOSING = ('"', "'", "`", ">")


def _is_path(text: str, name: str, before: str, quoted: bool) -> bool:
    """Whether a text with slashes is a path although its ending, if it has one, is not a known one."""
    root = _ROOT.match(text)
    ending = _ending_of(name)
    if before.endswith("<") and text.startswith("/"):
        return False  # a closing tag
    if root is None and text[: -len(name)].endswith("\\") and name.startswith("."):
        return False  # `\d+\.json` is a regular expression
    if ending:
        # `docs/page.xyz` is a path, `total/self.count` is a division.
        known_place = root is not None or quoted or len(re.findall(r"[/\\]", text)) > 1 or len(ending) < 5
        return known_place and len(ending) <= 8 and name.split(".")[0] not in RECEIVERS
    if root is None or re.search(r"\w", name) is None:
        return False
    if root[0] != "/":
        return True
    # A root and one name is a command (`/plan-work`); a root, a word and flags is a regular expression.
    parts = [part for part in text.split("/") if part]
    if len(parts) == 2:
        return min(map(len, parts)) > 1 and not re.fullmatch(r"[dgimsuvy]+", name)
    return len(parts) > 2


def _ending_of(name: str) -> str:
    """The ending in lower case, a rotation number (`.log.1`) aside; empty where there is none.

    An ending in mixed case is a member (`java.util.Map`, `System.Text.Json`).
    """
    match = _ENDING.search(name)
    if match is None or match.end() < len(name) or match[1].isdigit():
        return ""
    if len(match[1]) == 1 and match[1] in "BDEFGIJKLNOPQTUVWXYZ":
        return ""  # an initial (`Ph.D`); in capitals there are `.C`, `.S`, `.R` and the like
    return match[1].lower() if match[1].islower() or match[1].isupper() else ""


def _name_end(name: str) -> int:
    """Where a name ends before a word of another script that is written onto it: `deploy.sh를`."""
    ending = _ENDING.search(name)
    if ending and ending[1].lower() in FILE_EXTENSIONS | SHY_EXTENSIONS:
        return ending.end()
    known = _WELL_KNOWN.match(name) or _DOTFILE.match(name)
    return known.end() if known else len(name)


def _decoded(text: str) -> str:
    decoded = unquote(text, errors="replace")
    return text if "\ufffd" in decoded else decoded


def _unescaped(path: str) -> str:
    r"""Undo what a shell (`my\ file`) or a string literal (`C:\\Users`) needs to write a path."""
    path = path.replace("\\ ", " ")
    doubled = path.count("\\") == 2 * path.count("\\\\") and not _SHARE.fullmatch(path)
    return path.replace("\\\\", "\\") if doubled else path


_SHARE = re.compile(r"\\\\[^\\]+")

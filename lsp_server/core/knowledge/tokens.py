"""What a passage and a question are compared by: words, their parts, and pairs of CJK characters.

Korean puts particles behind its nouns and Chinese and Japanese put no spaces between words: pairs of
neighbouring characters find both, two-syllable words included. An identifier counts as a whole and by its
parts, so that `rotateSigningKey` answers "signing key".
"""

from __future__ import annotations

import re
import unicodedata

from lsp_server.core.search_kg import STOP_WORDS

_CJK = (
    "\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f"
    "\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003134f"
)
_PIECE = re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+")
# Letters beyond ASCII count as lower-case ones, so that no word is parted at an umlaut.
_CAMEL_PART = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+|\d+")
# It is looked for at the beginning of a word only: a long one is gone through once.
_IDENTIFIER = re.compile(r"(?<![^\W_])[^\W_]+(?:[_.:/-][^\W_]+)+")
_WORD = re.compile(r"\w+")


def tokens_of(text: str) -> list[str]:
    """The tokens of a text, in order, with repetitions; function words are left out."""
    normal = unicodedata.normalize("NFKC", text)
    tokens: list[str] = []
    for piece in _PIECE.findall(normal):
        tokens += _tokens_of_piece(piece)
    # A code such as E-217 or a name such as deploy.sh is one thing as well.
    names = _IDENTIFIER.findall(normal)
    tokens += [_folded(name) for name in names if not _is_cjk(name) and not _WORD.fullmatch(name)]
    return [token for token in tokens if token not in STOP_WORDS]


def _tokens_of_piece(piece: str) -> list[str]:
    if _is_cjk(piece):
        pairs = [piece[at : at + 2] for at in range(len(piece) - 1)]
        return [_folded(token) for token in pairs or [piece]]
    # Underscores around a word are emphasis or a convention, not what it is looked for by.
    name = piece.strip("_")
    parts = [_folded(part) for part in _CAMEL_PART.findall(name)]
    return parts if len(parts) < 2 else [_folded(name), *parts]


def _is_cjk(text: str) -> bool:
    return re.match(rf"[{_CJK}]", text) is not None


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text.casefold())

"""Texts that try to be more than their words in Markdown, and a reader of Markdown that shows what they became."""

from __future__ import annotations

from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

PARSER = MarkdownIt("commonmark", {"html": True}).enable(["strikethrough", "table"])
PARSER.validateLink = lambda _url: True  # type: ignore[method-assign]  # `file:` and, were it there, `command:`

MARKUP = st.text(
    st.sampled_from("[]()<>`*_~|\\!&#;:/@-. ab한\u0301\n") | st.characters(codec="utf-8"), max_size=60
)
HOSTILE = st.one_of(
    MARKUP,
    st.sampled_from(
        [
            "[click](command:workbench.action.quit)",
            "<a href='command:x'>b</a>",
            "<!-- -->",
            "![](http://evil.example/i.png)",
            "<http://evil.example>",
            "&lt;b&gt; &#91;x&#93;",
            "`code` ``more``",
            "__init__ *em* **strong** ~~gone~~ ~gone~",
            "\\[x\\](y)",
            "| a | b |\n|---|---|",
            "# Heading\n\n- item\n\n    code",
            "```\nfence\n```",
            "[ref]: http://evil.example",
            "](x) [",
        ]
    ),
)


def tokens_of(markdown: str) -> list[Token]:
    """All tokens in the order of the text, those inside a line too."""
    tokens = []
    for token in PARSER.parse(markdown):
        tokens += [token, *(token.children or ())]
    return tokens


def words_of(tokens: list[Token]) -> str:
    """What a reader sees, without the form."""
    return "".join(token.content for token in tokens if token.type in ("text", "code_inline"))


def links_of(tokens: list[Token]) -> list[str]:
    """Where the links lead."""
    return [str(token.attrs["href"]) for token in tokens if token.type == "link_open"]

"""One revision of a knowledge item (seeds/search-knowledge.md; the folders and defaults are our own).

A knowledge base is a folder of Markdown files, an item is one of these files, and a revision is one content of
the file. Frontmatter may say `id`, `title`, `status`, `owner`, `team`, `scope`, `source`, `citation` and
`locator`; none is needed, so that a plain folder of runbooks or decision records is a knowledge base.

- A base is the folder of that name in `.knowledge`, or a configured folder, called by its own name. Folders of
  the same name are one base. A file belongs to the innermost folder that is a base.
- The id is the frontmatter's, else the path in the base with `/` between folders and without the suffix. An id
  is unique within its base: the first item in stored order has it. No single file can tell, so whoever puts the
  files together lets the first one win and makes a problem of the others.
- The title is the frontmatter's, else the first level-1 heading, else the file name.
- The status is `published` unless the frontmatter says otherwise. What it says in other words than ours and
  those of decision records publishes nothing, nor does a header with a status that cannot be read.
- The revision id is the id that git gives to the file's bytes as a blob (SHA-1, 40 hexadecimal digits), computed
  from the bytes on the disk, committed or not, replaced or not when they are decoded. Where git stores other
  bytes than it checks out (`text=auto`, filters), the committed revision therefore has another id.
- An older revision is a content that was committed at the path of the file, unless it names itself by another id:
  that was another item's. What the file was called before it was renamed is another path. It has the status,
  title and so on of its own content; the id is the item's.
- The text is what an addressed read serves: all that stands behind the frontmatter, as it is, with its own line
  ends. Only a byte order mark is dropped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

LINE_END = re.compile(r"\r\n|\r|\n")

KnowledgeStatus: TypeAlias = Literal["draft", "published", "archived"]


@dataclass(frozen=True, slots=True)
class KnowledgeItem:
    """A file of a knowledge base with one content that it has or had; the rules stand above."""

    base_id: str
    item_id: str
    revision_id: str
    title: str
    status: KnowledgeStatus
    owner: str | None
    team: str | None
    scope: str | None
    source: str | None
    citation: str | None
    locator: str | None
    text: str
    """Never folded; an offset into it counts code points."""
    body_line: int
    r"""The line of the file where `text` begins, counted from 1; `\n`, `\r\n` and `\r` end a line."""
    path: str
    """The file on the disk, of an older revision too."""

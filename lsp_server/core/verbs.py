"""English verbs as tags need them: which tags say the same thing as a few words of a query.

A tag is `{verb-ing}-{object}` (spec/gem2.md §4). People ask with any form of the verb, in any order, in the
singular or the plural, and with a near word: "terminal kill" means killing-terminal, closing-terminal and
managing-terminal (seeds/search-kg.md, F.1). Two directions serve two purposes: *stems* lead from a form to
everything it may be a form of, generously, and find related tags; *gerunds* lead from a word to the `-ing`
forms it really has, and decide whether two tags are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from lsp_server.core.matching import fold

SHORTEST_STEM = 2
SHORTEST_GERUND = 5
CACHED_WORDS = 16_384

_NOT_GERUNDS = """
    anything being bring ceiling cling clothing darling during earring evening everything fling morning
    nothing offspring pudding setting sibling sling something spring sterling sting string swing thing viking
"""
NOT_GERUNDS = frozenset(_NOT_GERUNDS.split())
"""Words on -ing that are no verb of a tag (spec/gem2.md §4, split rule)."""

NEAR_VERBS = (
    "kill close stop terminate end quit manage",
    "open start launch boot spawn run manage",
    "add create insert introduce append",
    "create build make generate produce scaffold",
    "remove delete drop prune purge clear clean retire",
    "fix repair correct patch resolve",
    "change update edit modify revise adjust",
    "rewrite refactor restructure simplify",
    "move rename relocate reorder",
    "find search locate look query detect",
    "check verify validate test assert audit",
    "read load parse fetch get retrieve download",
    "write save store persist record cache",
    "show display render print draw visualize format",
    "send emit publish push post notify",
    "receive accept ingest import collect",
    "deploy release ship publish",
    "install provision bootstrap initialize configure",
    "configure set tune define",
    "split separate divide partition",
    "merge join combine fuse unify aggregate",
    "convert transform translate migrate port",
    "measure benchmark profile compute count",
    "log trace record instrument monitor",
    "document describe explain annotate",
    "guard protect gate secure harden",
    "retry repeat rerun",
    "register enrol wire connect integrate",
    "diagnose debug troubleshoot investigate",
    "choose select pick filter",
    "refuse reject deny block",
)
"""Near-synonyms, one group a line. A verb may stand in several groups; groups do not chain."""

IRREGULAR_FORMS = {
    "began": "begin", "begun": "begin", "bound": "bind", "broke": "break", "broken": "break",
    "built": "build", "caught": "catch", "chose": "choose", "chosen": "choose", "drawn": "draw",
    "drew": "draw", "fed": "feed", "found": "find", "froze": "freeze", "frozen": "freeze", "gave": "give",
    "given": "give", "got": "get", "held": "hold", "hid": "hide", "hidden": "hide", "kept": "keep",
    "left": "leave", "lost": "lose", "made": "make", "ran": "run", "rewritten": "rewrite",
    "rewrote": "rewrite", "sent": "send", "shown": "show", "spoke": "speak", "taken": "take",
    "threw": "throw", "thrown": "throw", "told": "tell", "took": "take", "written": "write",
    "wrote": "write",
}  # fmt: skip

IRREGULAR_PLURALS = {
    "analyses": "analysis", "bases": "basis", "children": "child", "indices": "index", "matrices": "matrix",
    "schemata": "schema", "vertices": "vertex",
}  # fmt: skip

VOWELS = frozenset("aeiou")


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag taken apart, folded, with what its parts may be compared by."""

    text: str
    verb: str | None
    """The `-ing` segment alone: `crawling` in `re-crawling-wikimedia`."""
    prefix: tuple[str, ...]
    """What stands before the verb and belongs to it: `re`, `ssh`."""
    objects: tuple[str, ...]
    verb_stems: frozenset[str]
    noun_stems: tuple[frozenset[str], ...]
    """One set for each segment of prefix and objects, in that order."""


@lru_cache(CACHED_WORDS)
def split_tag(text: str) -> Tag:
    """Take a tag apart into verb and object (spec/gem2.md §4).

    The verb reaches up to and including the first `-ing` segment, the object is the rest. A tag without
    such a segment is all object; where the verb stands last, the object is what stands before it.

    Examples
    --------
    >>> split_tag("ssh-deploying-vps").verb, split_tag("ssh-deploying-vps").objects
    ('deploying', ('vps',))
    >>> split_tag("git-push").verb, split_tag("git-push").objects
    (None, ('git', 'push'))

    """
    folded = fold(text)
    segments = tuple(segment for segment in folded.split("-") if segment)
    at = next((at for at, segment in enumerate(segments) if is_gerund(segment)), None)
    verb = None if at is None else segments[at]
    prefix, objects = segments[: at or 0], segments if at is None else segments[at + 1 :]
    if not objects:
        prefix, objects = (), prefix
    return Tag(
        text=folded,
        verb=verb,
        prefix=prefix,
        objects=objects,
        verb_stems=verb_stems(verb) if verb else frozenset(),
        noun_stems=tuple(map(noun_stems, prefix + objects)),
    )


def is_gerund(word: str) -> bool:
    """Whether a folded word reads as a verb in -ing rather than as a noun like `string`."""
    return word.endswith("ing") and len(word) >= SHORTEST_GERUND and word not in NOT_GERUNDS


@lru_cache(CACHED_WORDS)
def gerunds(word: str) -> frozenset[str]:
    """Every `-ing` form with which a tag may say what `word` says as a verb, near-synonyms included.

    Source: the example of seeds/search-kg.md, F.1; a noun gives forms that no tag has, which does no harm.
    """
    stems = verb_stems(word)
    near = {other for stem in stems for other in _NEAR.get(stem, ())}
    forms = {form for verb in stems | near for form in ing_forms(verb)}
    return frozenset(forms | {word} if is_gerund(word) else forms)


def ing_forms(verb: str) -> tuple[str, ...]:
    """Spell the `-ing` forms of a verb in its base form (spec/gem2.md §4, inflection).

    Two forms where spelling depends on stress or on the side of the Atlantic: `modeling`, `modelling`.
    """
    if verb.endswith("ie"):
        return (verb[:-2] + "ying",)
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return (verb[:-1] + "ing",)
    if verb.endswith("ic"):
        return (verb + "king",)
    if not _may_double(verb):
        return (verb + "ing",)
    doubled = verb + verb[-1] + "ing"
    return (doubled,) if _vowel_groups(verb) == 1 else (verb + "ing", doubled)


@lru_cache(CACHED_WORDS)
def verb_stems(word: str) -> frozenset[str]:
    """Every verb of which a folded word may be a form, itself among them (spec/gem2.md §4).

    Covers -ing, -ed, -s, -er, -ation/-ion and the common irregular pasts. Generous by intention: two
    forms belong together when their sets share a member.
    """
    stems = {word}
    if irregular := IRREGULAR_FORMS.get(word):
        stems.add(irregular)
    for ending in ("ing", "ed", "er", "ers", "or", "ors"):
        if word.endswith(ending):
            stems |= _before_suffix(word[: -len(ending)])
    if word.endswith("ying"):
        stems.add(word[:-4] + "ie")
    if word.endswith(("ied", "ies", "ier")):
        stems |= {word[:-3] + "y", word[:-1]}
    for ending in ("ation", "ations", "ion", "ions"):
        if word.endswith(ending):
            stems |= {word[: -len(ending)], word[: -len(ending)] + "e"}
    for ending in ("ication", "ications"):
        if word.endswith(ending):
            stems.add(word[: -len(ending)] + "y")
    if word.endswith("s") and not word.endswith("ss"):
        stems |= {word[:-1], word[:-2]} if word.endswith("es") else {word[:-1]}
    return frozenset(stem for stem in stems if len(stem) >= SHORTEST_STEM or stem == word)


@lru_cache(CACHED_WORDS)
def noun_stems(word: str) -> frozenset[str]:
    """Every singular of which a folded word may be the plural, itself among them.

    Two words name the same thing when their sets share a member: `hash` and `hashes`, `query` and `queries`.
    """
    stems = {word}
    if irregular := IRREGULAR_PLURALS.get(word):
        stems.add(irregular)
    if len(word) > SHORTEST_STEM and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        stems.add(word[:-1])
        if word.endswith("ies"):
            stems.add(word[:-3] + "y")
        elif word.endswith(("ches", "shes", "ses", "xes", "zes", "oes")):
            stems.add(word[:-2])
    return frozenset(stems)


def _before_suffix(stem: str) -> set[str]:
    """Restore what may have stood before a suffix that begins with a vowel."""
    stems = {stem, stem + "e"}
    if len(stem) > SHORTEST_STEM and stem[-1] == stem[-2] and stem[-1] not in VOWELS:
        stems.add(stem[:-1])
    if stem.endswith("ick"):
        stems.add(stem[:-1])
    return stems


def _may_double(verb: str) -> bool:
    """Whether a verb ends in consonant, one vowel, consonant; w, x and y never double."""
    spelled = verb.replace("qu", "qw")
    if len(spelled) < 3 or spelled[-1] in VOWELS or spelled[-1] in "wxy":
        return False
    return spelled[-2] in VOWELS and spelled[-3] not in VOWELS


def _vowel_groups(verb: str) -> int:
    spelled = verb.replace("qu", "qw")
    return sum(
        letter in VOWELS and (at == 0 or spelled[at - 1] not in VOWELS) for at, letter in enumerate(spelled)
    )


def _near_by_verb() -> dict[str, frozenset[str]]:
    near: dict[str, set[str]] = {}
    for group in map(str.split, NEAR_VERBS):
        for verb in group:
            near.setdefault(verb, set()).update(group)
    return {verb: frozenset(group) for verb, group in near.items()}


_NEAR = _near_by_verb()

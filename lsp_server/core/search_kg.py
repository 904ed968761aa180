"""`search_kg`: proven and planned contracts by tag, by verb or object, by word (seeds/search-kg.md).

A unit-work matches *exactly* when a query tag equals one of its tags, *partially* when a verb or an object of
the query is part of one, *weakly* when a word of the query stands in its title, contract or notes. What was
proven comes first; what is recent never does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lsp_server.core.composition import LIMITS
from lsp_server.core.matching import SHORT_TERM_CHARACTERS, Term, as_term, contains, fold
from lsp_server.core.model import (
    WORK_PLAN_ID,
    ContractMatch,
    Relevance,
    Scope,
    State,
    UnitWork,
    WorkPlan,
)
from lsp_server.core.verbs import Tag, gerunds, noun_stems, split_tag, verb_stems

_STOP_WORDS = """
    a about after all also an and any anything are as at be because been before being between both but by
    can could did do does doing don done each either else every for from had has have having he her here him
    his how i if in into is it its itself just like may me might more most must my no nor not of off on once
    one only or other our out over own please same shall she should so some something such than that the
    their them then there these they this those through to too under until up us very was we were what when
    where whether which while who whom whose why will with within without would you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""English function words; alone they say nothing about what a unit does."""

_SHELF_RANK = {"archive": 0, "live": 1}
_STATE_RANK = {"SUCCESS": 0, "FAILURE": 1, "—": 2}
_RELEVANCE_RANK = {"exact": 0, "partial": 1, "weak": 2}

_SEPARATORS = re.compile(r"[\s,;\[\](){}<>`\"“”「」、。，]+")
_EDGE_PUNCTUATION = ".:!?…*#'‘’"
_APOSTROPHE_ENDING = re.compile(r"['’]\w{1,2}$")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_UNIT_NUMBER = r"\b(?:unit|U)[ \t]{0,3}#?([0-9]{1,6})\b(?![–-]U?[0-9])"
_ID_IN_TEXT = re.compile(
    # A range (WP-ST-1..4) and a longer name (WP-AO-67-equivalent) are no mention of the id they begin with.
    rf"(?:{_UNIT_NUMBER}[ \t]{{0,3}}(?:of|in|from)?[ \t,]{{1,3}})?"
    rf"(?<![\w-])({WORK_PLAN_ID})(?!\w|-\w|\.\.)"
    rf"(?:[\s,:/#(—–-]{{0,4}}{_UNIT_NUMBER})?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class IndexedUnit:
    """A unit-work with what it is found by."""

    plan: WorkPlan
    unit: UnitWork
    folded_id: str
    tags: tuple[Tag, ...]
    text: str
    """Title, contract and notes, folded."""


@dataclass(frozen=True, slots=True)
class ContractIndex:
    """Every unit-work that was read, and the project that most plans name."""

    units: tuple[IndexedUnit, ...]
    project_slug: str | None

    def __len__(self) -> int:
        return len(self.units)


def index_contracts(plans: Sequence[WorkPlan]) -> ContractIndex:
    """Lay out what the contracts source read."""
    slugs = Counter(plan.project_slug for plan in plans if plan.project_slug)
    return ContractIndex(
        units=tuple(_indexed(plan, unit) for plan in plans for unit in plan.units),
        project_slug=min(slugs, key=lambda slug: (-slugs[slug], slug), default=None),
    )


def search_contracts(
    index: ContractIndex,
    query: str,
    *,
    scope: Scope = "all",
    state_filter: State | None = None,
    limit: int = LIMITS.contracts,
    by_word: bool = True,
) -> tuple[tuple[ContractMatch, ...], int]:
    """Find the unit-works that answer `query`, best first, and how many there are in all.

    The order is seeds/search-kg.md, F.1: tag matches by archive before live, SUCCESS before FAILURE before
    `—`, exact before partial, then id, unit and path. Weak matches are its fallback: they come after
    every tag match, in the same order, and fill what is left of the limit.

    Parameters
    ----------
    query
        Already checked for being neither blank nor too long.
    scope
        Which shelf counts.
    state_filter
        Compared with the state in the plan's header; `—` is a value like the others.
    limit
        How many matches are returned at most.
    by_word
        False leaves out what shares only some words with the query: a unit has to be named by a tag or id,
        or to contain the whole query.
    """
    question = read_question(query)
    whole_query = as_term(query)
    matches = [
        _match(indexed, relevance)
        for indexed in index.units
        if scope in ("all", indexed.plan.shelf) and state_filter in (None, indexed.plan.state)
        if (relevance := relevance_of(question, indexed)) is not None
        if by_word or relevance == "exact" or _holds(indexed, whole_query)
    ]
    matches.sort(key=sort_key)
    return tuple(matches[:limit]), len(matches)


def _indexed(plan: WorkPlan, unit: UnitWork) -> IndexedUnit:
    contract = unit.contract
    return IndexedUnit(
        plan=plan,
        unit=unit,
        folded_id=fold(plan.wp_id),
        tags=tuple(split_tag(tag) for tag in unit.tags),
        text=fold("\n".join((unit.title, contract.a, contract.b, contract.p, unit.notes))),
    )


def _holds(indexed: IndexedUnit, whole_query: Term) -> bool:
    return contains(indexed.text, whole_query) or any(contains(tag.text, whole_query) for tag in indexed.tags)


@dataclass(frozen=True, slots=True)
class Question:
    """A query taken apart into everything that can be found."""

    units: frozenset[tuple[str, int | None]]
    """Folded ids, each with the one unit that is meant or `None` for all of the plan."""
    tags: frozenset[str]
    """Folded words of the query that can equal a tag as they stand."""
    gerunds: dict[str, frozenset[int]]
    """`-ing` form → positions of the words that may be meant by it, near-synonyms included."""
    positions: dict[str, frozenset[int]]
    """Singular → positions of the words that name it. Function words are here too: tags hold some."""
    verbs: frozenset[str]
    nouns: frozenset[str]
    terms: tuple[Term, ...]

    @property
    def ids(self) -> frozenset[str]:
        """The folded ids of the query."""
        return frozenset(wp_id for wp_id, _ in self.units)


@lru_cache(64)
def read_question(query: str) -> Question:
    """Take a query apart: ids, literal tags, words that may be verb or object, words to find in text."""
    units: set[tuple[str, int | None]] = set()
    for before, wp_id, after in _ID_IN_TEXT.findall(query):
        number = after or before
        units.add((fold(wp_id), int(number) if number else None))
    rest = _ID_IN_TEXT.sub(" ", query)
    tokens = [token for raw in _SEPARATORS.split(rest) if (token := _bare(raw))]
    words = [_bare(word) for word in _WORD.findall(fold(rest))]
    content = [(at, word) for at, word in enumerate(words) if word not in STOP_WORDS]
    return Question(
        units=frozenset(units),
        tags=frozenset(map(fold, tokens)) - STOP_WORDS,
        gerunds=_positions((form, at) for at, word in content for form in gerunds(word)),
        positions=_positions((stem, at) for at, word in enumerate(words) for stem in noun_stems(word)),
        verbs=frozenset(stem for _, word in content for stem in verb_stems(word)),
        nouns=frozenset(stem for _, word in content for stem in noun_stems(word)),
        terms=tuple(dict.fromkeys(as_term(word) for token in tokens for word in _text_words(token))),
    )


def relevance_of(question: Question, indexed: IndexedUnit) -> Relevance | None:
    """Judge how well a unit answers the question, `None` for not at all (seeds/search-kg.md, B.relevance)."""
    wp_id, text = indexed.folded_id, indexed.text
    if (wp_id, None) in question.units or (wp_id, indexed.unit.index) in question.units:
        return "exact"
    if any(tag.text in question.tags or _says_the_same(question, tag) for tag in indexed.tags):
        return "exact"
    if any(_is_related(question, tag) for tag in indexed.tags):
        return "partial"
    if any(contains(text, term) for term in question.terms) or _mentions(text, question.ids):
        return "weak"
    return None


def _says_the_same(question: Question, tag: Tag) -> bool:
    """Whether some {verb-ing}-{object} that the words of the query can form is this tag.

    The candidates are not spelled out: their number grows with every order of the words. Instead one word
    has to give the verb, and other words all that stands beside it.
    """
    if tag.verb is None or not tag.objects:
        return False
    verb_positions = question.gerunds.get(tag.verb)
    if not verb_positions:
        return False
    others = [
        frozenset[int]().union(*(question.positions.get(stem, ()) for stem in stems))
        for stems in tag.noun_stems
    ]
    return any(all(positions - {verb_at} for positions in others) for verb_at in verb_positions)


def _is_related(question: Question, tag: Tag) -> bool:
    """Whether the query shares the tag's verb or an object; near-synonyms are too far for this."""
    return not question.verbs.isdisjoint(tag.verb_stems) or any(
        not question.nouns.isdisjoint(stems) for stems in tag.noun_stems
    )


def _mentions(text: str, ids: frozenset[str]) -> bool:
    """Whether folded text names one of the ids itself, not only a longer one that begins alike."""
    return any(wp_id in text for wp_id in ids) and any(
        fold(found[1]) in ids for found in _ID_IN_TEXT.findall(text)
    )


def _bare(token: str) -> str:
    return _APOSTROPHE_ENDING.sub("", token.strip(_EDGE_PUNCTUATION))


def _text_words(token: str) -> Iterable[str]:
    """Choose what to look for in running text: a token as written, and the words that a hyphen joins in it.

    Short parts and numbers are left alone: `E-217` is one word, not an `E` and a `217`.
    """
    parts = [part for part in token.split("-") if len(part) > SHORT_TERM_CHARACTERS and part.isalpha()]
    return (word for word in (token, *parts) if fold(word) not in STOP_WORDS)


def _positions(pairs: Iterable[tuple[str, int]]) -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for key, at in pairs:
        found.setdefault(key, set()).add(at)
    return {key: frozenset(positions) for key, positions in found.items()}


def sort_key(match: ContractMatch) -> tuple[bool, int, int, int, str, int, str, int]:
    """The order of seeds/search-kg.md, F.1, with weak matches after all others."""
    return (
        match.relevance == "weak",
        _SHELF_RANK[match.source],
        _STATE_RANK[match.wp_state],
        _RELEVANCE_RANK[match.relevance],
        match.wp_id,
        match.unit_index,
        match.path,
        match.line,  # only a number printed twice in one plan leaves it to decide
    )


def _match(indexed: IndexedUnit, relevance: Relevance) -> ContractMatch:
    plan, unit = indexed.plan, indexed.unit
    return ContractMatch(
        wp_id=plan.wp_id,
        wp_title=plan.title,
        wp_state=plan.state,
        source=plan.shelf,
        unit_index=unit.index,
        unit_title=unit.title,
        unit_state=unit.state,
        contract=unit.contract,
        result_summary=unit.result,
        relevance=relevance,
        tags=unit.tags,
        path=plan.path,
        line=unit.line,
    )

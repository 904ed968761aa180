"""`search_kg`: proven and planned contracts by tag, by verb or object, by word (seeds/search-kg.md).

A unit-work matches *exactly* when a query tag equals one of its tags, *partially* when a verb or an object of
the query is part of one, *weakly* when a word of the query stands in its title, contract or notes. What was
proven comes first; what is recent never does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from lsp_server.core.composition import LIMITS
from lsp_server.core.contract_order import RELEVANCE_RANK, SHELF_RANK, STATE_RANK, sort_key
from lsp_server.core.index.corpus import Corpus
from lsp_server.core.index.entry import Entry
from lsp_server.core.index.numbers import Numbers
from lsp_server.core.index.records import from_record, to_record
from lsp_server.core.matching import SHORT_TERM_CHARACTERS, Term, as_term, contains, fold
from lsp_server.core.model import (
    WORK_PLAN_ID,
    ContractMatch,
    Relevance,
    Scope,
    Shelf,
    State,
    UnitWork,
    WorkPlan,
)
from lsp_server.core.prominence import code_spans, names, singled_out, words_of
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

_KINDS: tuple[tuple[Shelf, State], ...] = tuple(
    (shelf, state) for shelf in SHELF_RANK for state in STATE_RANK
)
"""What the plans of units are, in the order in which they count."""
_HEADER = len(_KINDS)
_ID, _TAG, _GERUND, _VERB, _NOUN = "id ", "tag ", "gerund ", "verb ", "noun "
"""What the keywords of a unit begin with."""

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
class PlannedUnit:
    """A unit-work and the header of the plan that it is part of."""

    plan: WorkPlan
    """Without its units."""
    unit: UnitWork


@dataclass(frozen=True)
class ContractIndex:
    """Every unit-work that was read, and every plan's header."""

    corpus: Corpus[PlannedUnit | WorkPlan]
    kinds: Numbers
    """By position: shelf and state of a unit's plan as one number, or `_HEADER`."""

    def __len__(self) -> int:
        return int(np.count_nonzero(self.kinds != _HEADER))

    @cached_property
    def project_slug(self) -> str | None:
        """The project that most plans name."""
        plans = self.corpus.documents(np.flatnonzero(self.kinds == _HEADER))
        slugs = Counter(
            plan.project_slug for plan in plans if isinstance(plan, WorkPlan) and plan.project_slug
        )
        return min(slugs, key=lambda slug: (-slugs[slug], slug), default=None)


def contract_entries(documents: Sequence[WorkPlan]) -> list[Entry]:
    """What the units of one file's plan are found by, and its header."""
    headers = [replace(plan, units=()) for plan in documents]
    return [
        *(Entry(to_record(header), kind=_HEADER) for header in headers),
        *(
            _entry(PlannedUnit(header, unit))
            for header, plan in zip(headers, documents, strict=True)
            for unit in plan.units
        ),
    ]


def read_contract(record: bytes) -> PlannedUnit | WorkPlan:
    """The unit or header of an entry; the record of a unit begins with that of its plan."""
    return from_record(PlannedUnit, record) if record.startswith(b"[[") else from_record(WorkPlan, record)


def index_contracts(corpus: Corpus[PlannedUnit | WorkPlan]) -> ContractIndex:
    """Lay out what the contracts source read."""
    return ContractIndex(corpus, corpus.column("kind"))


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
    found = _by_relevance(index, question)
    if not by_word:
        whole = _having_whole(index, as_term(query))
        found = {
            relevance: units if relevance == "exact" else units & whole for relevance, units in found.items()
        }
    # What decides first is known of each unit without reading it; the rest only of those that may be shown.
    groups: dict[tuple[bool, int, Relevance], list[int]] = {}
    for relevance, units in found.items():
        for position in units:
            kind = int(index.kinds[position])
            shelf, state = _KINDS[kind]
            if scope in ("all", shelf) and state_filter in (None, state):
                groups.setdefault((relevance == "weak", kind, relevance), []).append(position)
    matches: list[ContractMatch] = []
    for key in sorted(groups, key=lambda key: (key[0], key[1], RELEVANCE_RANK[key[2]])):
        if len(matches) >= limit:
            break
        documents = index.corpus.documents(np.array(groups[key]))
        group = [_match(unit, key[2]) for unit in documents if isinstance(unit, PlannedUnit)]
        matches += sorted(group, key=sort_key)
    return tuple(matches[:limit]), sum(map(len, groups.values()))


def _entry(planned: PlannedUnit) -> Entry:
    plan, unit = planned.plan, planned.unit
    tags = [split_tag(tag) for tag in unit.tags]
    text = _text_of(unit)
    spans = code_spans("\n".join((unit.contract.a, unit.contract.b, unit.contract.p)))
    return Entry(
        record=to_record(planned),
        fields=(text,),
        keywords=tuple(
            dict.fromkeys(
                (
                    _ID + fold(plan.wp_id),
                    *(_TAG + tag.text for tag in tags),
                    *(_GERUND + tag.verb for tag in tags if tag.verb is not None),
                    *(_VERB + stem for tag in tags for stem in tag.verb_stems),
                    *(_NOUN + stem for tag in tags for stems in tag.noun_stems for stem in stems),
                    *names(words_of(*unit.tags)),
                    *singled_out(spans | words_of(unit.title, plan.title)),
                )
            )
        ),
        kind=_KINDS.index((plan.shelf, plan.state)),
    )


def _text_of(unit: UnitWork) -> str:
    """Title, contract and notes: where words are weak evidence."""
    contract = unit.contract
    return "\n".join((unit.title, contract.a, contract.b, contract.p, unit.notes))


def _by_relevance(index: ContractIndex, question: Question) -> dict[Relevance, set[int]]:
    """Positions of the units that answer the question, each where it answers best (B.relevance)."""
    corpus = index.corpus
    exact = _having(corpus, _TAG, question.tags) | _named(corpus, question)
    for position in _having(corpus, _GERUND, question.gerunds) - exact:
        unit = corpus.document(position)
        tags = unit.unit.tags if isinstance(unit, PlannedUnit) else ()
        if any(_says_the_same(question, split_tag(tag)) for tag in tags):
            exact.add(position)
    # Near-synonyms are too far for a relation.
    partial = _having(corpus, _VERB, question.verbs) | _having(corpus, _NOUN, question.nouns)
    weak: set[int] = set()
    for term in question.terms:
        weak.update(corpus.holding(term).tolist())
    for wp_id in question.ids:
        weak.update(
            at for at in corpus.holding(Term(wp_id)).tolist() if _mentions(corpus.first_field_of(at), wp_id)
        )
    return {"exact": exact, "partial": partial - exact, "weak": weak - partial - exact}


def _named(corpus: Corpus[PlannedUnit | WorkPlan], question: Question) -> set[int]:
    """The units that the query names by the id of their plan, alone or with their number."""
    found: set[int] = set()
    for wp_id, number in question.units:
        for position in corpus.with_keyword(_ID + wp_id).tolist():
            unit = corpus.document(position) if number is not None else None
            if number is None or (isinstance(unit, PlannedUnit) and unit.unit.index == number):
                found.add(position)
    return found


def _having_whole(index: ContractIndex, whole_query: Term) -> set[int]:
    """The units whose text or one of whose tags contains the whole query."""
    corpus = index.corpus
    in_tags = [keyword for keyword in corpus.keywords(_TAG) if contains(keyword, whole_query)]
    return set(corpus.holding(whole_query).tolist()) | _having(corpus, _TAG, in_tags)


def _having(corpus: Corpus[PlannedUnit | WorkPlan], kind: str, keywords: Iterable[str]) -> set[int]:
    return {position for keyword in keywords for position in corpus.with_keyword(kind + keyword).tolist()}


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


def _mentions(text: str, wp_id: str) -> bool:
    """Whether folded text names an id itself, not only a longer one that begins alike."""
    return any(fold(found[1]) == wp_id for found in _ID_IN_TEXT.findall(text))


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


def _match(planned: PlannedUnit, relevance: Relevance) -> ContractMatch:
    plan, unit = planned.plan, planned.unit
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

"""Verbs and tags: what counts as the same word (spec/gem2.md §4)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.core.verbs import (
    IRREGULAR_FORMS,
    NEAR_VERBS,
    gerunds,
    ing_forms,
    is_gerund,
    noun_stems,
    split_tag,
    verb_stems,
)


@pytest.mark.parametrize(
    ("tag", "prefix", "verb", "objects"),
    [
        ("mooring-boat", "", "mooring", "boat"),
        ("reading-tide-tables", "", "reading", "tide tables"),
        ("Mooring-BOAT", "", "mooring", "boat"),
        ("re-reading-tables", "re", "reading", "tables"),
        ("ssh-deploying-lamp", "ssh", "deploying", "lamp"),
        ("rolling-up-sail", "", "rolling", "up sail"),
        ("keeping-secrets-in-safe", "", "keeping", "secrets in safe"),
        ("tide-reading", "", "reading", "tide"),
        ("mooring", "", "mooring", ""),
        ("tide-table", "", None, "tide table"),
        ("string-length", "", None, "string length"),
        ("parsing-string-tags", "", "parsing", "string tags"),
        ("setting-sun", "", None, "setting sun"),
        ("ping-host", "", None, "ping host"),
        ("hashing-sha256", "", "hashing", "sha256"),
        ("-mooring--boat-", "", "mooring", "boat"),
        ("", "", None, ""),
    ],
)
def test_split(tag: str, prefix: str, verb: str | None, objects: str) -> None:
    parts = split_tag(tag)
    assert (parts.prefix, parts.verb, parts.objects) == (tuple(prefix.split()), verb, tuple(objects.split()))


@pytest.mark.parametrize(
    "pairs",
    [
        "write/writing cache/caching wire/wiring gate/gating badge/badging",  # e goes
        "stop/stopping tag/tagging run/running map/mapping quit/quitting",  # one syllable doubles
        "query/querying deploy/deploying verify/verifying proxy/proxying",  # y stays
        "die/dying tie/tying lie/lying",
        "see/seeing dye/dyeing agree/agreeing",
        "panic/panicking mimic/mimicking sync/syncing",
        "fix/fixing draw/drawing play/playing",  # w, x and y never double
        "fork/forking port/porting scaffold/scaffolding load/loading test/testing kill/killing",
    ],
)
def test_ing_form(pairs: str) -> None:
    for verb, form in (pair.split("/") for pair in pairs.split()):
        assert ing_forms(verb) == (form,)


@pytest.mark.parametrize(
    "form",
    [
        "model/modeling",
        "model/modelling",
        "label/labelling",
        "cancel/canceling",
        "open/opening",
        "edit/editing",
        "render/rendering",
        "submit/submitting",
        "refer/referring",
        "reset/resetting",
        "debug/debugging",
        "commit/committing",
        "format/formatting",
        "bootstrap/bootstrapping",
        "begin/beginning",
        "control/controlling",
    ],
)
def test_stress_is_not_known_so_both_forms_are(form: str) -> None:
    verb, expected = form.split("/")
    assert expected in ing_forms(verb)


@pytest.mark.parametrize(
    "forms",
    [
        "write writes written wrote writer writing",
        "stop stops stopped stopper stopping",
        "cache caches cached caching",
        "query queries queried querying",
        "verify verifies verified verifier verification verifying",
        "die dies died dying",
        "panic panics panicked panicking",
        "validate validates validated validator validation validating",
        "install installed installer installation installing",
        "configure configured configuration configuring",
        "migrate migrations migrating",
        "delete deletion deleting",
        "fix fixes fixed fixing",
        "build builds built builder building",
        "model modeled modelled modeling modelling",
    ],
)
def test_forms_of_one_verb_share_it(forms: str) -> None:
    verb, *others = forms.split()
    for form in others:
        assert verb in verb_stems(form)


@pytest.mark.parametrize(
    "pair", ["kill/closing", "read/reaping", "stop/steering", "port/portraying", "boat/mooring"]
)
def test_different_verbs_share_nothing(pair: str) -> None:
    first, second = pair.split("/")
    assert verb_stems(first).isdisjoint(verb_stems(second))


@pytest.mark.parametrize(
    "pair",
    [
        "door/doors",
        "hash/hashes",
        "query/queries",
        "cache/caches",
        "box/boxes",
        "class/classes",
        "index/indices",
        "id/ids",
    ],
)
def test_singular_and_plural_are_one_noun(pair: str) -> None:
    singular, plural = pair.split("/")
    assert not noun_stems(singular).isdisjoint(noun_stems(plural))


@pytest.mark.parametrize("pair", ["class/clas", "status/statu", "axis/axi", "door/doorman"])
def test_not_every_s_is_a_plural(pair: str) -> None:
    first, second = pair.split("/")
    assert noun_stems(first).isdisjoint(noun_stems(second))


def test_the_example_of_the_seed() -> None:
    """seeds/search-kg.md, F.1: "terminal kill" → killing-terminal, closing-terminal, managing-terminal."""
    assert {"killing", "closing", "managing"} <= gerunds("kill")


@pytest.mark.parametrize("word", ["kill", "kills", "killed", "killer", "killing"])
def test_near_verbs_are_known_in_every_form(word: str) -> None:
    assert {"killing", "closing"} <= gerunds(word)


def test_near_verbs_do_not_chain() -> None:
    """`manage` is near `kill` and near `open`; that does not make those two near each other."""
    assert "opening" in gerunds("manage")
    assert "opening" not in gerunds("kill")


def test_a_noun_is_no_verb_of_a_tag() -> None:
    assert not any(map(is_gerund, ["string", "thing", "ping", "king", "ring", "spring", "setting"]))


def test_the_tables_hold_base_forms() -> None:
    for verb in {verb for group in NEAR_VERBS for verb in group.split()} | set(IRREGULAR_FORMS.values()):
        assert re.fullmatch("[a-z]+", verb)
        assert not is_gerund(verb)


@given(st.sampled_from(sorted({verb for group in NEAR_VERBS for verb in group.split()})))
def test_a_form_leads_back_to_its_verb(verb: str) -> None:
    for form in ing_forms(verb):
        assert verb in verb_stems(form)


@given(st.text(max_size=40))
def test_any_text_can_be_taken_apart(text: str) -> None:
    parts = split_tag(text)
    segments = [segment for segment in parts.text.split("-") if segment]
    assert sorted(segments) == sorted([*parts.prefix, *([parts.verb] if parts.verb else []), *parts.objects])
    assert len(parts.noun_stems) == len(parts.prefix) + len(parts.objects)
    for stems in (gerunds(text), verb_stems(text), noun_stems(text)):
        assert isinstance(stems, frozenset)

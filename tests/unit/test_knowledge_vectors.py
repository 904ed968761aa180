"""Vectors of passages: made once, kept, and made in the background where nobody may wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from files_on_disk import write
from hypothesis import given, settings
from hypothesis import strategies as st
from knowledge_items import WordEmbedder, ask, error_of, ids, open_with, read, write_items

from lsp_server.core import StoreOptions
from lsp_server.core.index.cache import CACHE_VARIABLE, Cache
from lsp_server.core.index.numbers import Numbers
from lsp_server.core.knowledge import vectors as vectors_module
from lsp_server.core.knowledge.answer import KnowledgeAnswer
from lsp_server.core.knowledge.embedder import Embedder, UniversalSentenceEncoder, installed_embedder
from lsp_server.core.knowledge.errors import SemanticUnavailableError
from lsp_server.core.knowledge.vectors import BATCH_PASSAGES, Vectors, VectorTable

COUNT = 3 * BATCH_PASSAGES + 1
"""More passages than three batches have."""

PATIENCE_SECONDS = 10.0


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three items with four passages, and a cache for them."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    root = tmp_path / "workspace"
    write_items(
        root,
        {
            "runbooks/deploy.md": "# Deploy\n\nRoll back with care.\n\n# Later\n\nRest.\n",
            "runbooks/keys.md": "Rotate the key.\n",
            "guides/배포.md": "# 배포 절차\n\n배포를 되돌린다.\n",
        },
    )
    return root


def wait_for(is_there: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not is_there():
        assert time.monotonic() < until, "it did not come to pass"
        time.sleep(0.005)


def cached_vectors(root: Path) -> list[Path]:
    return sorted((root.parent / "cache").glob("*/vectors-*"))


# How often something is embedded


def test_every_passage_is_embedded_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = WordEmbedder()
    with open_with(root, embedder, monkeypatch) as core:
        for query in ("rotate", "deploy", "배포"):
            for mode in ("hybrid", "semantic", "rrf"):
                assert ask(core, query, mode=mode).mode_effective == mode
    assert sorted(embedder.passages) == [
        "Deploy\n# Deploy\n\nRoll back with care.",
        "Deploy\n# Later\n\nRest.",
        "keys.md\nRotate the key.",
        "배포 절차\n# 배포 절차\n\n배포를 되돌린다.",
    ]
    # What else is embedded are the queries; twice where what they cite was read again.
    assert set(embedder.asked) - set(embedder.passages) == {"rotate", "deploy", "배포"}


def test_what_is_kept_is_not_made_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = []
    for asked in (4, 0, 0):
        embedder = WordEmbedder()
        with open_with(root, embedder, monkeypatch, cached=True) as core:
            answers.append(ask(core, "rotate deploy", mode="semantic"))
        assert len(embedder.passages) == asked
    assert len(cached_vectors(root)) == 1
    first, *others = answers
    for other in others:
        assert ids(other) == ids(first)
        # What is kept has half the digits.
        for one, two in zip(first.results, other.results, strict=True):
            assert one.scores.combined == pytest.approx(two.scores.combined, abs=1e-3)


def test_without_a_cache_nothing_is_kept(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        embedder = WordEmbedder()
        with open_with(root, embedder, monkeypatch) as core:
            ask(core, "rotate")
        assert len(embedder.passages) == 4
    assert cached_vectors(root) == []


def test_only_changed_passages_are_embedded_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = WordEmbedder()
    folder = root / ".knowledge/runbooks"
    with open_with(root, embedder, monkeypatch, cached=True) as core:

        def embedded() -> list[str]:
            embedder.asked.clear()
            core.refresh()
            assert ask(core, "zebra").degraded is None
            return sorted(embedder.passages)

        embedded()
        assert embedded() == []
        write(folder / "deploy.md", "# Deploy\n\nRoll back with a zebra.\n\n# Later\n\nRest.\n")
        assert embedded() == ["Deploy\n# Deploy\n\nRoll back with a zebra."]
        assert ids(ask(core, "zebra"))[0] == "deploy"
        # Another place, id, owner or line does not change what a passage says.
        write(folder / "deploy.md", "---\nid: x\nowner: Kim\n---\n# Deploy\n\nRoll back with a zebra.\n")
        (folder / "keys.md").rename(folder.parent / "guides/keys.md")
        assert embedded() == []
        # Its title is part of each passage.
        write(folder / "deploy.md", "---\ntitle: New\n---\n# Deploy\n\nRoll back with a zebra.\n")
        assert embedded() == ["New\n# Deploy\n\nRoll back with a zebra."]
        # What says the same in two places has one vector.
        for name in ("a", "b"):
            write(folder / f"{name}.md", "---\ntitle: Twins\n---\nA zebra.\n")
        assert embedded() == ["Twins\nA zebra."]
        assert {"a", "b"} <= set(ids(ask(core, "zebra", mode="semantic")))
    embedder = WordEmbedder()
    with open_with(root, embedder, monkeypatch, cached=True) as core:
        ask(core, "zebra")
    assert embedder.passages == []


def test_drafts_are_not_embedded(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_items(root, {"runbooks/draft.md": "---\nstatus: draft\n---\nSecret.\n"})
    embedder = WordEmbedder()
    with open_with(root, embedder, monkeypatch) as core:
        ask(core, "rotate")
    assert len(embedder.passages) == 4 and not any("Secret" in text for text in embedder.passages)


def test_vectors_of_another_embedder_are_not_used(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class ShortVectors(WordEmbedder):
        dimension = 32

    for embedder, asked in (
        (WordEmbedder("words 1"), 4),
        (WordEmbedder("words 2"), 4),
        (WordEmbedder("words 2"), 0),
        (ShortVectors("short 1"), 4),
        (WordEmbedder("words 1"), 4),
    ):
        with open_with(root, embedder, monkeypatch, cached=True) as core:
            assert ids(ask(core, "rotate key", mode="semantic"))[0] == "keys"
        assert len(embedder.passages) == asked


# A run that is stopped


def test_a_stopped_run_keeps_what_it_made(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_items(root, {f"many/{n}.md": f"Item {n}.\n" for n in range(COUNT - 4)})
    first, second = WordEmbedder(), WordEmbedder()
    with open_with(root, first, monkeypatch, cached=True) as core:
        # Closed while the second batch is made.
        first.before_each = lambda: core.close() if first.asked else None
        assert ask(core, "rotate").degraded == "semantic_loading"
    assert len(first.passages) == 2 * BATCH_PASSAGES
    with open_with(root, second, monkeypatch, cached=True) as core:
        assert ask(core, "rotate").degraded is None
    assert len(second.passages) == COUNT - 2 * BATCH_PASSAGES
    assert not set(first.passages) & set(second.passages)


def test_an_embedder_that_fails_costs_no_batch_before(tmp_path: Path) -> None:
    keys = np.arange(COUNT, dtype=np.uint64)

    def texts(some: Numbers) -> list[str]:
        return [f"title\npassage {key}" for key in some.tolist()]

    def fail() -> None:
        if len(embedder.asked) >= 2 * BATCH_PASSAGES:
            raise MemoryError

    embedder = WordEmbedder()
    embedder.before_each = fail
    vectors = Vectors(embedder, Cache(tmp_path))
    with pytest.raises(MemoryError):
        vectors.make(keys, texts, lambda: True)
    assert vectors.ready_for(keys) is None
    embedder.before_each = lambda: None
    vectors.make(keys, texts, lambda: True)
    assert vectors.ready_for(keys) is not None
    assert len(embedder.asked) == len(set(embedder.asked)) == COUNT


# A cache that is not what it was


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def flip_a_bit(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)


@pytest.mark.parametrize(
    "damage", [cut_short, flip_a_bit, lambda path: path.write_bytes(b""), lambda path: path.unlink()]
)
def test_a_damaged_cache_is_made_again(
    root: Path, damage: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def embedded() -> int:
        embedder = WordEmbedder()
        with open_with(root, embedder, monkeypatch, cached=True) as core:
            assert ids(ask(core, "rotate key", mode="semantic"))[0] == "keys"
        return len(embedder.passages)

    assert embedded() == 4
    (path,) = cached_vectors(root)
    damage(path)
    assert (embedded(), embedded()) == (4, 0)
    assert len(cached_vectors(root)) == 1


def test_a_cache_that_cannot_be_written_costs_only_time(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Cache, "write", no_room)
    embedder = WordEmbedder()
    with open_with(root, embedder, monkeypatch, cached=True) as core:
        for _ in range(2):
            assert ids(ask(core, "rotate key", mode="semantic"))[0] == "keys"
    assert len(embedder.passages) == 4


def test_what_is_gone_does_not_stay_in_the_cache(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")

    def texts(keys: Numbers) -> list[str]:
        return [f"title\npassage {key}" for key in keys.tolist()]

    for first in range(0, 40, 10):
        # Each run has a passage more and ten less than the one before.
        keys = np.arange(first, first + 11, dtype=np.uint64)
        Vectors(WordEmbedder(), cache).make(keys, texts, lambda: True)
        kept = cache.read("vectors")
        assert kept is not None and kept[0]["keys"].tolist() == keys.tolist()


# The table


keys_of_any_kind = st.frozensets(st.integers(0, 2**64 - 1) | st.integers(0, 12), max_size=12)


@settings(deadline=None)
@given(keys_of_any_kind, keys_of_any_kind, keys_of_any_kind)
def test_the_table_has_the_vector_of_each_key(
    first: frozenset[int], more: frozenset[int], wanted: frozenset[int]
) -> None:
    def numbers(keys: frozenset[int]) -> Numbers:
        return np.array(list(keys), np.uint64)

    def vectors(keys: frozenset[int]) -> Numbers:
        return np.array([[key % 251, key % 7] for key in keys], np.float32).reshape(-1, 2)

    new = more - first
    table = VectorTable(np.empty(0, np.uint64), np.empty((0, 2), np.float32))
    table = table.with_more(numbers(first), vectors(first)).with_more(numbers(new), vectors(new))
    table = table.only(numbers(wanted))
    assert table.keys.tolist() == sorted((first | more) & wanted)
    assert table.vectors.tolist() == [[key % 251, key % 7] for key in table.keys.tolist()]
    assert table.missing(numbers(wanted)).tolist() == sorted(wanted - first - more)


# Several threads


def test_two_threads_embed_nothing_twice(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_items(root, {f"many/{n}.md": f"Item {n}.\n" for n in range(COUNT - 4)})
    embedder = WordEmbedder()
    embedder.before_each = lambda: time.sleep(0.002)
    barrier = threading.Barrier(2)
    with open_with(root, embedder, monkeypatch, cached=True) as core, ThreadPoolExecutor(2) as threads:

        def question(query: str) -> KnowledgeAnswer:
            barrier.wait()
            return ask(core, query, mode="semantic", max_results=50)

        answers = list(threads.map(question, ["rotate key", "rotate key"]))
    assert answers[0] == answers[1] and ids(answers[0])[0] == "keys"
    assert len(embedder.passages) == len(set(embedder.passages)) == COUNT
    assert len(cached_vectors(root)) == 1


def test_an_answer_belongs_to_what_it_was_asked_of(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one thread asks, files come and go: no question fails, and none is answered with half the vectors."""
    embedder = WordEmbedder()
    with open_with(root, embedder, monkeypatch) as core, ThreadPoolExecutor(2) as threads:

        def change() -> None:
            for n in range(15):
                write_items(root, {"runbooks/new.md": f"Zebra {n} {n}.\n"})
                core.refresh()
                (root / ".knowledge/runbooks/new.md").unlink()
                core.refresh()

        changing = threads.submit(change)
        answers: list[KnowledgeAnswer] = []
        while not changing.done():
            answers.append(ask(core, "rotate key", mode="rrf"))
        changing.result()
        # Another one may have replaced the vectors meanwhile; then it says so.
        assert {answer.degraded for answer in answers} <= {None, "semantic_loading"}
        assert all(ids(answer)[0] == "keys" for answer in answers)
        assert ask(core, "rotate key", mode="semantic").degraded is None


# In the background


def test_a_question_does_not_wait_in_the_background(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder, may_go_on = WordEmbedder(), threading.Event()

    def wait() -> None:
        assert may_go_on.wait(PATIENCE_SECONDS)

    embedder.before_each = wait
    with open_with(root, embedder, monkeypatch, wait=False) as core:
        wait_for(lambda: ask(core, "rotate key", mode="lexical").status == "complete")
        for mode in ("hybrid", "rrf"):
            early = ask(core, "rotate key", mode=mode)
            assert (early.mode, early.mode_effective, early.degraded) == (mode, "lexical", "semantic_loading")
            assert early.results == ask(core, "rotate key", mode="lexical").results != ()
        refused = error_of(core, {"query": "rotate", "mode": "semantic"})
        assert isinstance(refused, SemanticUnavailableError)
        assert (refused.code, refused.reason) == ("knowledge_semantic_unavailable", "semantic_loading")
        # Neither a read nor a hover waits or is refused.
        assert read(core, "keys").content == "Rotate the key.\n"
        assert [match.item_id for match in core.knowledge_about("rotate", 5).matches] == ["keys"]
        may_go_on.set()
        wait_for(lambda: ask(core, "rotate key").degraded is None)
        for mode in ("hybrid", "rrf", "semantic"):
            assert ask(core, "rotate key", mode=mode).mode_effective == mode
    assert len(embedder.passages) == len(set(embedder.passages)) == 4


def test_the_embedder_is_loaded_in_the_background_when_all_is_kept(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_with(root, WordEmbedder(), monkeypatch, cached=True) as core:
        ask(core, "rotate")
    embedder, gate = WordEmbedder(), threading.Event()
    load = embedder.load
    monkeypatch.setattr(embedder, "load", lambda: load() if gate.wait(10) else None)
    with open_with(root, embedder, monkeypatch, cached=True, wait=False) as core:
        assert ask(core, "rotate").degraded == "semantic_loading"
        gate.set()
        wait_for(lambda: ask(core, "rotate").degraded is None)
    assert (embedder.loads, embedder.passages) == (1, [])


def test_after_a_change_it_is_said_that_vectors_are_missing(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = WordEmbedder()
    with open_with(root, embedder, monkeypatch, wait=False) as core:
        wait_for(lambda: ask(core, "zebra").degraded is None)
        gate = threading.Event()

        def wait() -> None:
            gate.wait(10)

        embedder.before_each = wait
        write_items(root, {"runbooks/zebra.md": "A zebra crossing.\n"})
        core.refresh()
        early = ask(core, "zebra")
        assert (early.degraded, ids(early)) == ("semantic_loading", ["zebra"])
        gate.set()
        wait_for(lambda: ask(core, "zebra").degraded is None)
        assert ids(ask(core, "zebra", mode="semantic"))[0] == "zebra"
    assert len(embedder.passages) == 5


def test_a_long_run_keeps_what_it_has_made_so_far(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors_module, "KEPT_PASSAGES", 1)
    monkeypatch.setattr(vectors_module, "BATCH_PASSAGES", 1)
    kept: list[int] = []
    write = Vectors._write

    def written(self: Vectors, table: VectorTable) -> None:
        kept.append(len(table.keys))
        write(self, table)

    monkeypatch.setattr(Vectors, "_write", written)
    with open_with(root, WordEmbedder(), monkeypatch, cached=True) as core:
        ask(core, "rotate")
    assert kept == list(range(1, len(kept) + 1))
    assert len(kept) > 1


def test_a_failed_run_is_begun_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever an embedder raises in the background costs that run, not the server."""
    failures: list[object] = []
    monkeypatch.setattr(threading, "excepthook", failures.append)
    embedder, runs = WordEmbedder(), iter([True, False])

    def fail_once() -> None:
        if next(runs, False):
            raise MemoryError

    embedder.before_each = fail_once
    with open_with(root, embedder, monkeypatch, wait=False) as core:
        wait_for(lambda: ask(core, "rotate key").degraded is None)
    assert len(failures) == 1


# The embedder of the extra


def test_the_model_is_loaded_once_whoever_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    loads = []

    class Model:
        def encode(self, texts: list[str]) -> Numbers:
            return np.ones((len(texts), 512))

    def load(_embedder: UniversalSentenceEncoder) -> Model:
        time.sleep(0.02)
        loads.append(1)
        return Model()

    monkeypatch.setattr(UniversalSentenceEncoder, "_loaded", load)
    embedder = UniversalSentenceEncoder()
    with ThreadPoolExecutor(4) as threads:
        shapes = list(threads.map(lambda count: embedder.embed(["x"] * count).shape, [1, 2, 3, 4]))
    embedder.load()
    assert (loads, shapes) == ([1], [(1, 512), (2, 512), (3, 512), (4, 512)])


@pytest.fixture(scope="module")
def real() -> Embedder:
    embedder = installed_embedder()
    if embedder is None:
        pytest.skip("the semantic extra is not installed")
    return embedder


def test_the_model_gives_unit_vectors_alone_and_together(real: Embedder) -> None:
    texts = ["rotate the signing key", "서명 키를 교체한다", "🚢", "x" * 2000, "On Fridays there is fish."]
    together = real.embed(texts)
    assert (together.shape, together.dtype) == ((len(texts), real.dimension), np.float32)
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    alone = np.concatenate([real.embed([text]) for text in texts])
    assert np.allclose(alone, together, atol=1e-5)


def test_the_model_knows_what_means_the_same(real: Embedder) -> None:
    key, korean, other, fish = real.embed(
        [
            "How do I rotate the signing key?",
            "서명 키를 어떻게 교체하나요?",
            "replacing a cryptographic signature secret",
            "On Fridays there is fish in the canteen.",
        ]
    )
    assert min(key @ korean, key @ other) > max(key @ fish, korean @ fish)


# Without the extra


def test_without_the_extra_nothing_is_kept_and_nothing_lost(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_with(root, WordEmbedder(), monkeypatch, cached=True) as core:
        ask(core, "rotate")
    kept = [path.read_bytes() for path in cached_vectors(root)]
    with open_with(root, None, monkeypatch, cached=True) as core:
        answer = ask(core, "rotate key")
        assert (answer.mode_effective, answer.degraded) == ("lexical", "semantic_unavailable")
        assert ids(answer) == ["keys"]
    assert [path.read_bytes() for path in cached_vectors(root)] == kept != []


def test_the_extra_is_looked_for_without_being_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lsp_server.core.knowledge.embedder.util.find_spec", lambda _name: None)
    assert installed_embedder() is None


def test_in_the_background_a_setting_takes_the_embedder_away(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder, options = WordEmbedder(), StoreOptions(knowledge_semantic=False)
    with open_with(root, embedder, monkeypatch, options, wait=False, cached=True) as core:
        wait_for(lambda: ask(core, "rotate key").status == "complete")
        assert ask(core, "rotate key").degraded == "semantic_unavailable"
    assert (embedder.asked, embedder.loads, cached_vectors(root)) == ([], 0, [])

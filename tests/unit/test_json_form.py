import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from lsp_server import __version__
from lsp_server.core import SearchCore
from lsp_server.core.merge import merge_knowledge_graph, merge_prior_art
from lsp_server.core.model import StoreOptions
from lsp_server.json_form import Json, knowledge_graph_json, prior_art_json, status_json

STORES = Path(__file__).resolve().parents[1] / "stores"
STATUSES = ("complete", "incomplete", "failed", "absent")
NUMBER = (int, float)

PRIOR_ART = {"type": str, "query": str, "status": str, "sources": dict}
SOURCE = {"status": str, "match_count": int, "matches": list, "problems": list}
PROBLEM = {"path": str, "reason": str}
MATCHES: dict[str, dict[str, Any]] = {
    "memory": {
        "text": str,
        "category": str,
        "first_seen": (*NUMBER, type(None)),
        "memory_id": str,
        "keeper": str,
        "path": str,
    },
    "wiki": {"title": str, "path": str, "line": int},
    "board": {
        "id": str,
        "title": str,
        "hearth": (str, type(None)),
        "author": str,
        "created_at": NUMBER,
        "score": int,
        "reply_count": int,
        "path": str,
        "line": int,
    },
}
KNOWLEDGE_GRAPH = {
    "type": str,
    "project_slug": str,
    "searched_at": str,
    "query": str,
    "results": list,
    "result_count": int,
    "sources_searched": list,
    "status": str,
    "problems": list,
}
RESULT = {
    "wp_id": str,
    "wp_title": str,
    "wp_state": str,
    "source": str,
    "unit_index": int,
    "unit_title": str,
    "unit_state": str,
    "contract": dict,
    "result_summary": (str, type(None)),
    "relevance": str,
    "tags": list,
    "path": str,
    "line": int,
}
STATUS = {"type": str, "version": str, "roots": list}
ROOT = {"root": str, "sources": dict, "cache": dict}
STORE = {"status": str, "documents": int, "files": int, "locations": list, "problems": list}

CORES = ("cli-dock", "cli-damaged", "cli-ruined", "cli-wiki-only", "cli-bare")


def opened(name: str, tmp_path: Path) -> SearchCore:
    shutil.copytree(STORES / name, tmp_path / name)
    return SearchCore.open(tmp_path / name, StoreOptions(max_file_bytes=20 if "ruined" in name else 10**6))


def check(form: Json, schema: dict[str, Any]) -> None:
    assert set(form) == set(schema)
    for key, kind in schema.items():
        assert isinstance(form[key], kind), key
        assert not isinstance(form[key], bool), key


def through_json(form: Json) -> Json:
    again: Json = json.loads(json.dumps(form, allow_nan=False))
    assert again == form, "what is written is what is read: no tuples"
    return again


def check_problems(problems: list[Json], status: str) -> None:
    for problem in problems:
        check(problem, PROBLEM)
        assert problem["reason"]
    assert bool(problems) == (status in ("incomplete", "failed"))


@pytest.mark.parametrize("name", CORES)
@pytest.mark.parametrize("query", ["E4217", "lease", "서명", "nobody knows this"])
def test_prior_art(name: str, query: str, tmp_path: Path) -> None:
    answer = opened(name, tmp_path).prior_art(query)
    form = through_json(prior_art_json(answer))
    check(form, PRIOR_ART)
    assert (form["type"], form["query"]) == ("prior_art", query)
    assert form["status"] in STATUSES
    assert list(form["sources"]) == ["memory", "wiki", "board"]
    for source, given in form["sources"].items():
        check(given, SOURCE)
        assert given["status"] in STATUSES
        assert given["match_count"] == len(given["matches"])
        check_problems(given["problems"], given["status"])
        for match in given["matches"]:
            check(match, MATCHES[source])
            assert Path(match["path"]).is_file()
            assert match.get("line", 1) >= 1
    for fact in form["sources"]["memory"]["matches"]:
        assert re.fullmatch(r"sha256:[0-9a-f]{64}", fact["memory_id"])


@pytest.mark.parametrize("name", CORES)
@pytest.mark.parametrize("query", ["rotating-key", "lease", "nobody knows this"])
def test_knowledge_graph(name: str, query: str, tmp_path: Path) -> None:
    answer = opened(name, tmp_path).search_kg(query, limit=50)
    form = through_json(knowledge_graph_json(answer))
    check(form, KNOWLEDGE_GRAPH)
    assert (form["type"], form["query"]) == ("search_kg", query)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", form["searched_at"])
    assert form["result_count"] == len(form["results"])
    assert all(isinstance(place, str) for place in form["sources_searched"])
    check_problems(form["problems"], form["status"])
    for result in form["results"]:
        check(result, RESULT)
        check(result["contract"], dict.fromkeys("abp", str | None))
        assert result["wp_state"] in ("SUCCESS", "FAILURE", "—")
        assert result["unit_state"] in ("SUCCESS", "FAILURE", "—")
        assert result["source"] in ("archive", "live")
        assert result["relevance"] in ("exact", "partial", "weak")
        assert result["unit_index"] >= 1 and result["line"] >= 1
        assert all(isinstance(tag, str) for tag in result["tags"])


def test_absent_values_are_null_and_no_state_is_a_dash(tmp_path: Path) -> None:
    form = knowledge_graph_json(opened("cli-dock", tmp_path).search_kg("waiting-clock"))
    result = form["results"][0]
    assert (result["result_summary"], result["wp_state"], result["unit_state"]) == (None, "—", "—")


@pytest.mark.parametrize("name", CORES)
def test_status(name: str, tmp_path: Path) -> None:
    core = opened(name, tmp_path)
    form = through_json(status_json([core.status(), core.status()]))
    check(form, STATUS)
    assert (form["type"], form["version"]) == ("status", __version__)
    assert len(form["roots"]) == 2
    for root in form["roots"]:
        check(root, ROOT)
        assert root["root"] == str(tmp_path / name)
        assert list(root["sources"]) == ["memory", "wiki", "board", "contracts", "knowledge"]
        for store in root["sources"].values():
            check(store, STORE)
            assert store["status"] in STATUSES
            assert bool(store["locations"]) == (store["status"] != "absent")
            check_problems(store["problems"], store["status"])


def test_several_roots_have_the_same_form_as_one(tmp_path: Path) -> None:
    cores = [opened(name, tmp_path) for name in CORES]
    form = through_json(prior_art_json(merge_prior_art([core.prior_art("lease") for core in cores])))
    check(form, PRIOR_ART)
    assert form["status"] == "incomplete"
    form = knowledge_graph_json(merge_knowledge_graph([core.search_kg("lease") for core in cores], 5))
    check(through_json(form), KNOWLEDGE_GRAPH)
    assert form["result_count"] == len(form["results"]) <= 5

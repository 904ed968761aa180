"""dev.py, and the example workspace that its demo shows."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
HARBOUR = ROOT / "examples" / "harbour"


@pytest.fixture
def dev(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """dev.py as a module, for a project in a folder whose name is hard to quote."""
    spec = importlib.util.spec_from_file_location("dev_script", ROOT / "dev.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    project = tmp_path / "a project 프로젝트"
    project.mkdir()
    monkeypatch.setattr(module, "ROOT", project)
    monkeypatch.setattr(module, "VENV", project / ".venv")
    monkeypatch.setattr(module, "STAMP", project / ".venv" / "dev-stamp")
    monkeypatch.setattr(module, "UNFINISHED", project / ".venv" / "dev-unfinished")
    return module


# The stamp


def test_an_installation_is_current_for_the_same_inputs_and_fewer_extras(dev: ModuleType) -> None:
    stamped = dev.stamp("inputs", ("dev",))
    assert dev.is_current(stamped, "inputs", ("dev",))
    assert dev.is_current(stamped, "inputs", ())
    assert not dev.is_current(stamped, "other inputs", ("dev",))


def test_an_installation_without_an_extra_is_not_current_for_it(dev: ModuleType) -> None:
    assert not dev.is_current(dev.stamp("inputs", ()), "inputs", ("dev",))


def test_an_empty_stamp_is_not_current(dev: ModuleType) -> None:
    assert not dev.is_current("", "inputs", ())


def test_the_inputs_change_with_a_file_and_with_the_place(dev: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_bytes(b"[project]\n")
    before = dev.digest(tmp_path, (file,))
    assert dev.digest(tmp_path, (file,)) == before
    assert dev.digest(tmp_path / "moved", (file,)) != before
    file.write_bytes(b"[project]\nname = 'x'\n")
    assert dev.digest(tmp_path, (file,)) != before


# The environment


def test_a_missing_or_half_made_environment_is_not_usable(dev: ModuleType) -> None:
    assert not dev.is_usable(dev.VENV)
    dev.VENV.mkdir()
    assert not dev.is_usable(dev.VENV)
    (dev.VENV / "pyvenv.cfg").touch()
    assert not dev.is_usable(dev.VENV)


def test_an_interrupted_installation_makes_an_environment_unusable(dev: ModuleType) -> None:
    ways_to_run = []
    dev.run_quietly = lambda command: ways_to_run.append(command) or True
    dev.VENV.mkdir()
    (dev.VENV / "pyvenv.cfg").touch()
    assert dev.is_usable(dev.VENV)
    dev.UNFINISHED.touch()
    assert not dev.is_usable(dev.VENV)
    assert len(ways_to_run) == 1


def test_the_next_way_is_tried_from_a_clean_start(dev: ModuleType) -> None:
    def leaves_rubbish() -> bool:
        (dev.VENV / "rubbish").touch()
        return False

    def makes_it() -> bool:
        assert not (dev.VENV / "rubbish").exists()
        (dev.VENV / "pyvenv.cfg").touch()
        return True

    dev.run_quietly = lambda _command: True
    dev.with_venv, dev.with_venv_and_outer_pip = leaves_rubbish, makes_it
    dev.ensure_venv()
    assert not dev.UNFINISHED.exists()


def test_when_no_way_works_nothing_is_left_and_the_message_says_what_to_install(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for way in ("with_venv", "with_venv_and_outer_pip", "with_virtualenv", "with_apt"):
        monkeypatch.setattr(dev, way, lambda: False)
    monkeypatch.setattr(dev, "is_debian", lambda: True)
    assert dev.main(["demo"]) == 2
    assert not dev.VENV.exists()
    [line] = capsys.readouterr().err.splitlines()
    assert "sudo apt-get install python3-venv" in line


# The command line


def test_a_python_that_is_too_old_says_so_in_one_line(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(dev, "newer_python", lambda: None)
    monkeypatch.setattr(dev, "OLDEST_PYTHON", (9, 0))
    assert dev.main(["demo"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "Python 9.0 or newer is needed" in line


def test_a_newer_python_is_one_that_runs(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dev, "NEWER_PYTHONS", (["no-such-python"], [sys.executable]))
    assert dev.newer_python() == [sys.executable]


@pytest.mark.parametrize("arguments", [[], ["deploy"], ["lint", "--fix"]])
def test_an_unknown_command_line_shows_the_usage(
    dev: ModuleType, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert dev.main(arguments) == 2
    assert "dev.py demo" in capsys.readouterr().err


def test_pytest_gets_the_extra_arguments_and_its_exit_code_is_passed_on(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    monkeypatch.setattr(dev, "install", lambda extras: seen.append(extras))
    monkeypatch.setattr(dev, "run_python", lambda *arguments, **_: seen.append(arguments) or 5)
    assert dev.main(["test", "-k", "a b"]) == 5
    assert seen == [("dev",), ("-m", "pytest", "-k", "a b")]


def test_lint_runs_every_check_and_fails_with_any(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    exit_codes = iter([0, 1, 0])
    monkeypatch.setattr(dev, "install", lambda **_: None)
    monkeypatch.setattr(dev, "run_python", lambda *_, **__: next(exit_codes))
    assert dev.main(["lint"]) == 1
    assert next(exit_codes, None) is None


@pytest.mark.skipif(os.name == "nt", reason="needs a symbolic link")
def test_a_linked_environment_is_unlinked_and_not_emptied(dev: ModuleType, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").touch()
    dev.VENV.symlink_to(elsewhere)
    dev.remove(dev.VENV)
    assert not dev.VENV.is_symlink()
    assert (elsewhere / "kept").exists()


# The example workspace


def test_every_kind_of_store_in_the_example_knows_the_error_code() -> None:
    keepers = HARBOUR / ".masc" / "config" / "keepers"
    stores = {
        "memory": keepers.glob("*.memory-current.json"),
        "source-bound memory": keepers.glob("*.memory-source-current.json"),
        "board": [HARBOUR / ".masc" / "board_posts.jsonl"],
        "wiki": (HARBOUR / "docs" / "wiki").glob("*.md"),
        "contracts": (HARBOUR / ".gem-squared" / "archive").glob("*.md"),
    }
    silent = [
        name for name, files in stores.items() if not any("E4217" in f.read_text("utf-8") for f in files)
    ]
    assert silent == []


def test_the_source_bound_fact_of_the_example_holds() -> None:
    snapshot = HARBOUR / ".masc" / "config" / "keepers" / "keeper-tide.memory-source-current.json"
    [fact] = json.loads(snapshot.read_text("utf-8"))["facts"]
    source = (HARBOUR / fact["source"]["path"]).read_bytes()
    assert fact["source"]["sha256"] == "sha256:" + hashlib.sha256(source).hexdigest()


def test_the_demo_says_in_one_line_that_there_is_no_server(tmp_path: Path) -> None:
    (tmp_path / "lsp_server").mkdir()
    (tmp_path / "lsp_server" / "__init__.py").touch()
    (tmp_path / "lsp_server" / "__main__.py").write_text("raise SystemExit('no server today')\n")
    environment = dict(os.environ, PYTHONPATH=str(tmp_path))
    demo = [sys.executable, str(ROOT / "examples" / "hover_over_stdio.py")]
    done = subprocess.run(demo, env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    assert line.endswith("no server today")

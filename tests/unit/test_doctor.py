"""`prior-art doctor`: what it finds, and that nothing of it is private."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import stat
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from files_on_disk import link, write

from lsp_server import __version__, cli
from lsp_server.core import SearchCore
from lsp_server.doctor import doctor_json, doctor_report, examine, installation
from lsp_server.doctor.examination import EDITORS, MAX_PROBLEMS, VARIABLES
from lsp_server.doctor.finding import Finding, checked
from lsp_server.doctor.installation import check_packages, check_server, servers_on, version_said_by
from lsp_server.doctor.privacy import Anchors, public_key, public_reason

SECRET = "xyzzy-plugh"
STORES = Path(__file__).parents[1] / "stores"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, with a server on the `PATH` that is as it has to be."""
    folder = tmp_path / f"home of {SECRET}"
    program(folder / ".local" / "bin", __version__)
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(folder))
    monkeypatch.setenv("PATH", str(folder / ".local" / "bin"))
    return folder


@pytest.fixture
def dock(home: Path) -> Path:
    """A workspace in which nothing is wrong, below that home."""
    return Path(shutil.copytree(STORES / "cli-dock", home / "code" / SECRET))


def program(folder: Path, version: str | None, status: int = 0) -> Path:
    """A `prior-art-lsp` that greets every editor with a version; `None` = that says nothing."""
    answer = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"serverInfo": {"version": version}}})
    said = "" if version is None else f"Content-Length: {len(answer)}\r\n\r\n{answer}"
    if os.name == "nt":
        write(folder / "answer", said.encode())
        return write(folder / "prior-art-lsp.bat", f'@type "%~dp0answer"\r\n@exit {status}\r\n')
    # Not Python: its path may hold a blank, which no first line can.
    script = f"#!/bin/sh\nprintf '%s' {shlex.quote(said)}\nexit {status}\n"
    place = write(folder / "prior-art-lsp", script)
    place.chmod(place.stat().st_mode | stat.S_IXUSR)
    return place


def texts(findings: Sequence[Finding], topic: str) -> list[str]:
    return [finding.text for finding in findings if finding.topic == topic]


def advised(findings: Sequence[Finding]) -> list[tuple[str, str]]:
    return [(finding.text, finding.advice) for finding in findings if finding.advice is not None]


# --- nothing private --------------------------------------------------------------------------------------


def plant_secrets(root: Path, home: Path) -> None:
    """A secret in every store, in names of files, in settings and in what goes into the reasons of problems."""
    fact = {"claim": f"{SECRET} claim", "category": SECRET, "first_seen": 1.0}
    keepers = root / ".masc" / "config" / "keepers"
    write(keepers / f"{SECRET}.memory-current.json", json.dumps({"facts": [fact]}))
    write(keepers / "twice.memory-current.json", json.dumps({"facts": [fact, fact]}))
    write(
        keepers / "bound.memory-source-current.json",
        json.dumps({"facts": [{**fact, "source": {"path": SECRET, "sha256": "none"}}]}),
    )
    post = {"id": SECRET, "title": SECRET, "body": SECRET, "author": SECRET, "hearth": SECRET}
    board = root / ".masc" / "clusters" / SECRET / "board_posts.jsonl"
    write(board, f"{json.dumps(post)}\n{SECRET}\n")
    write(root / "docs" / "wiki" / SECRET / f"{SECRET}.md", f"# {SECRET}\n")
    for name in ("broken", SECRET):
        write(root / "docs" / "wiki" / f"{name}.md", f"# {SECRET} caf".encode() + b"\xe9\n")
    write(keepers / f"{SECRET}.broken.memory-current.json", SECRET)
    write(root / ".gem-squared" / "archive" / f"{SECRET}.md", f"# {SECRET}\n")
    for name, head in (("a", f"id: {SECRET}"), ("b", f"id: {SECRET}"), ("c", f"status: {SECRET}")):
        write(
            root / ".knowledge" / "runbooks" / f"{name}.md",
            f"---\n{head}\nowner: {SECRET}\n---\n# {SECRET}\n",
        )
    write(root / ".knowledge" / SECRET / f"{SECRET}.md", f"# {SECRET}\n")
    for folder in ("notes", "handbook"):
        write(home / SECRET / folder / "page.md", f"# {SECRET}\n")
    write(
        root / ".prior-art.toml",
        f"""
        extraRoots = ["~/{SECRET}/notes", "~/{SECRET}/gone"]
        "{SECRET} key" = 1
        hover.ignore = ["{SECRET}"]
        hover.minTokenLength = "{SECRET}"
        wiki.folders = ["~/{SECRET}/handbook/**/*.md", "**/{SECRET}", "{SECRET}", "/{SECRET}", "~{SECRET}/notes"]
        knowledge.folders = ["{SECRET}", "/srv/{SECRET}/{SECRET}.md"]
        knowledge.scopes = ["{SECRET}"]
        """,
    )
    broken = f"[{SECRET}]\na = 1\n[{SECRET}]\n"
    write(home / SECRET / "config" / "prior-art" / "config.toml", broken)
    write(home / SECRET / "notes" / ".prior-art.toml", f'memory.keeper = "{SECRET}"\n[x]\ny = "{SECRET}"')


@pytest.mark.parametrize("output", ["text", "json"])
@pytest.mark.parametrize("how", ["nearest", "named"])
def test_nothing_private_is_shown(
    home: Path,
    dock: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    how: str,
    output: str,
) -> None:
    plant_secrets(dock, home)
    private = home / SECRET
    program(private / "bin", SECRET)
    monkeypatch.setenv("PATH", os.pathsep.join([str(private / "bin"), os.environ["PATH"]]))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(private / "config"))
    monkeypatch.setenv("PRIOR_ART_CACHE", str(private / "cache"))
    monkeypatch.setenv("MASC_CLUSTER_NAME", SECRET)
    monkeypatch.setenv("MASC_CONFIG_DIR", f"{dock}/.masc/config")
    for name in ("PYTHONPATH", "VIRTUAL_ENV", "USER", "USERNAME", "LOGNAME"):
        monkeypatch.setenv(name, SECRET)
    monkeypatch.chdir(dock / "src")

    arguments = ["doctor", *(["--json"] if output == "json" else [])]
    assert cli.main([*arguments, *(["--root", str(dock)] if how == "named" else [])]) == 1

    said, complained = capsys.readouterr()
    assert complained == ""
    assert SECRET not in said
    assert str(home) not in said
    # All of it was looked at.
    for part in (
        "<root>",
        "<extra root 1>",
        "the claim '…' stands in it twice",
        "the sha256 of '…' is none",
        "board incomplete, 1 post in 1 file, 1 problem, in full in prior-art status",
        "board: <root>/.masc/clusters/…/board_posts.jsonl: 1 malformed line",
        "memory: <root>/.masc/config/keepers/….memory-current.json: ",
        "wiki: <root>/docs/wiki/….md: not valid UTF-8",
        "the id '…' is another item's of the base '…'",
        "the status '…' is not draft",
        "hover.ignore = 1 text",
        "hover.minTokenLength has to be a whole number",
        "unknown setting …",
        "unknown setting x.y",
        "wiki.folders = ~/…/….md, <root>/…, <root>/…, /…, ",
        "knowledge.folders = <root>/…, /…/….md",
        "knowledge.scopes = 1 text",
        "entry 2 of extraRoots is no folder",
        "cannot be read and is ignored",
        "answers an editor with something else than a version",
        "$PRIOR_ART_CACHE: ",
        "MASC_CLUSTER_NAME, PRIOR_ART_CACHE",
    ):
        assert part in (said if output == "text" else json_texts(said)), part


def json_texts(said: str) -> str:
    return "\n".join(finding["text"] for finding in json.loads(said)["findings"])


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("home/me/.local/bin/prior-art-lsp", "~/.local/bin/prior-art-lsp"),
        ("home/me/.virtualenvs/client/bin/prior-art-lsp", "~/…/bin/prior-art-lsp"),
        ("home/me", "~"),
        ("home/me/ws/a/b/c", "<root>/…"),
        ("home/me/other", "<extra root 1>"),
        ("home/me/ws/inner/a", "<extra root 2>/…"),
        ("home/you/x", "/…"),
        ("usr/local/bin/prior-art-lsp", "/usr/local/bin/prior-art-lsp"),
        ("home/me/ws/docs/wiki/team/jane.md", "<root>/docs/wiki/…/….md"),
        (
            "home/me/ws/sub/.masc/clusters/blue/board_posts.jsonl",
            "<root>/…/.masc/clusters/…/board_posts.jsonl",
        ),
        (
            "home/me/ws/.masc/config/keepers/jane.memory-current.json",
            "<root>/.masc/config/keepers/….memory-current.json",
        ),
    ],
)
def test_a_path_shows_only_everybodys_names(monkeypatch: pytest.MonkeyPatch, path: str, shown: str) -> None:
    top = Path(Path.cwd().anchor)
    monkeypatch.setattr(Path, "home", lambda: top / "home" / "me")
    root = top / "home" / "me" / "ws"
    anchors = Anchors.of(root, [root.parent / "other", root / "inner"])
    assert anchors.shown(top / path) == shown


def test_without_a_home_nothing_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "home", homeless)
    assert Anchors.of(None) == Anchors()


@pytest.mark.parametrize(
    ("reason", "public"),
    [
        ("not valid UTF-8 at byte 13", "not valid UTF-8 at byte 13"),
        (
            f"the id {'it is'!r} is another item's of the base {'b'!r}",
            "the id '…' is another item's of the base '…'",
        ),
        (f"the claim {SECRET + chr(39)!r} stands in it twice", "the claim '…' stands in it twice"),
        (f"the claim {SECRET + chr(39) + chr(34) + SECRET!r} stands", "the claim '…' stands"),
        (f"Cannot declare {(SECRET, 'b')!r} twice", "Cannot declare ('…', '…') twice"),
        (f"could not be read: {SECRET}", "could not be read"),
        (f"its files could not be listed: {SECRET}\nand more", "its files could not be listed"),
    ],
)
def test_a_reason_is_shown_without_what_it_quotes(reason: str, public: str) -> None:
    assert public_reason(reason) == public


@pytest.mark.parametrize(
    ("key", "shown"), [("hovr.enable", "hovr.enable"), ("my key", "…"), ("키", "…"), ("k" * 61, "…")]
)
def test_an_unknown_setting_is_named_when_it_has_a_name(key: str, shown: str) -> None:
    assert public_key(key) == shown


# --- the report -------------------------------------------------------------------------------------------


def test_where_nothing_is_wrong_it_says_so(
    dock: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(dock)
    assert cli.main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"prior-art {__version__}\n")
    assert said.endswith("\nnothing wrong\n")
    assert "⚠" not in said
    for part in (
        f"  server     ~/.local/bin/prior-art-lsp, another installation, version {__version__}\n",
        "the current folder is the same\n",
        "  stores     memory complete, 5 facts in 2 files\n             wiki complete, 2 pages in 2 files\n",
    ):
        assert part in said
    pages = (Path(__file__).parents[2] / "docs" / "editors").glob("*.md")
    assert {page for _, _, page in EDITORS} == {page.stem for page in pages}
    for _, _, page in EDITORS:
        assert f"docs/editors/{page}.md" in said


def test_what_is_wrong_is_marked_and_says_what_to_do() -> None:
    findings = (Finding("a", "one"), Finding("a", "two\nlines", "do this"), Finding("b", "three"))
    assert doctor_report(findings).splitlines()[1:] == [
        "  a          one",
        "             ⚠ two lines; do this",
        "  b          three",
        "⚠ 1 to look at",
    ]
    assert doctor_json(findings) == {
        "type": "doctor",
        "version": __version__,
        "to_look_at": 1,
        "findings": [
            {"topic": "a", "text": "one", "advice": None},
            {"topic": "a", "text": "two lines", "advice": "do this"},
            {"topic": "b", "text": "three", "advice": None},
        ],
    }


def test_a_check_that_fails_hides_no_other(dock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> SearchCore:
        raise ImportError(SECRET, name="numpy")

    monkeypatch.setattr(SearchCore, "open", fail)
    findings = examine(None, dock)
    assert texts(findings, "stores") == ["numpy cannot be imported"]
    assert {"server", "root", "settings", "cache", "editors"} <= {finding.topic for finding in findings}


def test_an_unforeseen_error_is_named_by_its_kind_alone() -> None:
    def check():
        yield Finding("a", "one")
        raise ValueError(SECRET)

    first, second = checked("a", check())
    assert (first.text, second.text) == ("one", "this check failed: ValueError")
    assert second.advice is not None


# --- root and stores --------------------------------------------------------------------------------------


def test_the_root_is_said_with_how_it_was_found(dock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (nearest,) = texts(examine(None, dock / "src"), "root")
    assert nearest.startswith("<root>, the nearest folder with a store: .masc, .gem-squared/archive, ")
    assert nearest.endswith("; the current folder is 1 below it")
    (named,) = texts(examine(dock / "src", dock), "root")
    assert named == "<root>, named with --root: no store in it; the current folder is outside of it"
    monkeypatch.setenv("MASC_BASE_PATH", str(dock / ".masc"))
    (by_variable,) = texts(examine(None, dock.parent), "root")
    assert by_variable.startswith("<root>, named by $MASC_BASE_PATH or $MASC_CONFIG_DIR")


def test_a_root_that_is_named_by_a_link_is_where_it_leads(dock: Path) -> None:
    (named,) = texts(examine(link(dock.parent / "alias", dock), dock / "src"), "root")
    assert named.endswith("; the current folder is 1 below it")


def test_without_a_root_the_rest_is_still_checked(home: Path) -> None:
    findings = examine(None, home)
    ((text, advice),) = advised(findings)
    assert text == "no store at or above the current folder; the home folder and / do not count"
    assert "--root DIR" in advice
    assert texts(findings, "stores") == []
    assert texts(findings, "settings") and texts(findings, "cache")


def test_a_home_with_stores_is_explained(home: Path) -> None:
    (home / ".masc").mkdir()
    refused = advised(examine(None, home / "code"))[0]
    assert refused[0] == "~ has .masc, but is not taken without being named"


def test_a_root_without_stores_is_something_to_look_at(home: Path) -> None:
    empty = home / "empty"
    empty.mkdir()
    ((text, advice),) = advised(examine(empty, empty))
    assert text == "there is none here" and ".masc" in advice


def test_problems_are_counted_and_the_first_shown(dock: Path) -> None:
    for number in range(MAX_PROBLEMS + 2):
        write(dock / "docs" / "wiki" / f"broken-{number}.md", b"caf\xe9")
    findings = examine(None, dock)
    assert "wiki incomplete, 9 pages in 9 files, 7 problems, in full in prior-art status" in texts(
        findings, "stores"
    )
    wiki = advised(findings)
    assert len(wiki) == MAX_PROBLEMS + 1
    assert wiki[0] == (
        "wiki: <root>/docs/wiki/….md: not valid UTF-8 at byte 3; what could not be read was replaced",
        "save it as UTF-8",
    )
    assert wiki[-1] == ("wiki: 2 more", "see prior-art status")


# --- the server on the PATH -------------------------------------------------------------------------------


def server_findings(*folders: Path) -> tuple[Finding, ...]:
    return tuple(check_server(Anchors.of(None), os.pathsep.join(map(str, folders))))


def test_a_server_that_is_not_on_the_path(tmp_path: Path) -> None:
    ((text, advice),) = advised(server_findings(tmp_path, tmp_path / "gone"))
    assert text == "prior-art-lsp is not on the PATH"
    assert "add its folder to the PATH" in advice


def test_this_installation_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = program(tmp_path / "bin", __version__)
    monkeypatch.setattr(installation, "_own_servers", lambda: {place})
    (finding,) = server_findings(place.parent)
    assert finding.text.endswith(f", this installation, version {__version__}")
    assert finding.advice is None


def test_another_version_is_something_to_look_at(tmp_path: Path) -> None:
    place = program(tmp_path / "bin", "0.0.1")
    ((text, _),) = advised(server_findings(place.parent))
    assert text.endswith(f", another installation, is version 0.0.1, and this is {__version__}")


def test_several_servers_are_something_to_look_at(tmp_path: Path) -> None:
    places = [program(tmp_path / name / "bin", __version__) for name in "abc"]
    ((text, _),) = advised(server_findings(*(place.parent for place in places)))
    assert text.startswith("3 of them are on the PATH, the first is started: also ")


def test_one_server_by_several_names_is_one(tmp_path: Path) -> None:
    place = program(tmp_path / "bin", None)
    alias = link(tmp_path / "alias", place.parent)
    assert servers_on(os.pathsep.join(map(str, (alias, "", place.parent, place.parent)))) == (
        alias / place.name,
    )


@pytest.mark.skipif(os.name == "nt", reason="Windows does not read its PATH so")
@pytest.mark.parametrize("part", ["", "."])
def test_the_current_folder_may_be_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    place = program(tmp_path / "bin", None)
    monkeypatch.chdir(place.parent)
    assert servers_on(os.pathsep.join([part, str(tmp_path)])) == (place,)


def test_a_server_that_fails_is_something_to_look_at(tmp_path: Path) -> None:
    failing = program(tmp_path / "bin", __version__, status=3)
    assert version_said_by(failing) == (None, "ends with exit status 3 when an editor starts it")
    silent = program(tmp_path / "silent", None)
    assert version_said_by(silent) == (None, "answers an editor with something else than a version")
    version, why = version_said_by(write(tmp_path / "no-program"))
    assert version is None and why.startswith("cannot be started: ")


@pytest.mark.skipif(os.name == "nt", reason="Windows does not end what a batch file started")
def test_a_server_that_hangs_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "START_SECONDS", 0.2)
    place = write(tmp_path / "prior-art-lsp", "#!/bin/sh\nexec sleep 60\n")
    place.chmod(0o700)
    assert version_said_by(place) == (None, "does not answer an editor within 0 s")


def test_the_real_server_is_greeted_as_an_editor_does() -> None:
    (server, *_) = servers_on(str(Path(sys.executable).parent))
    assert version_said_by(server) == (__version__, "")


def test_a_server_whose_packages_are_gone_is_something_to_look_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "pygls" / "__init__.py", "raise ModuleNotFoundError('pygls')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (server, *_) = servers_on(str(Path(sys.executable).parent))
    assert version_said_by(server) == (None, "ends with exit status 1 when an editor starts it")


def test_a_missing_package_is_something_to_look_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "PACKAGES", ("pytest", "no-such-package"))
    monkeypatch.setattr(installation, "SEMANTIC_PACKAGE", "no-such-package")
    findings = tuple(check_packages())
    assert findings[0].text == f"pytest {pytest.__version__}, no-such-package missing"
    assert advised(findings) == [("not installed: no-such-package", "install prior-art-lsp again")]
    assert findings[-1].text.startswith("extra semantic: not installed")


# --- settings, cache, variables ---------------------------------------------------------------------------


def test_without_a_home_it_says_what_to_set(
    dock: Path, monkeypatch: pytest.MonkeyPatch, homeless: Callable[..., Path]
) -> None:
    for name in ("user_cache_path", "user_config_path"):
        monkeypatch.setattr(f"platformdirs.{name}", homeless)
    monkeypatch.delenv("PRIOR_ART_CACHE", raising=False)
    assert advised(examine(dock, dock)) == [
        (
            "there is no home folder to keep it in; the stores are read again at every start",
            "set HOME, or name a folder in $PRIOR_ART_CACHE",
        )
    ]


def test_a_further_root_that_cannot_be_asked_about_is_named(dock: Path) -> None:
    write(dock / ".prior-art.toml", f'extraRoots = ["{"long" * 100}"]\n')
    assert advised(examine(dock, dock)) == [
        ("entry 1 of extraRoots is no folder; it is ignored", "correct it")
    ]


def test_a_setting_says_where_it_comes_from(home: Path, dock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user_file = write(home / "config.toml", 'maxFileBytes = 1000\nmemory.keeper = "tide"\nhovr.enable = 1\n')
    monkeypatch.setattr("lsp_server.settings.user_file", lambda: user_file)
    write(dock / ".prior-art.toml", 'maxFileBytes = 2000000\nhover.enable = "no"\nhover.sources = ["wiki"]\n')
    findings = examine(None, dock)
    settings = texts(findings, "settings")
    for line in (
        "~/config.toml: 3 given",
        "<root>/.prior-art.toml: 3 given",
        "maxFileBytes = 2000000 (<root>/.prior-art.toml)",
        "memory.keeper = given (~/config.toml)",
        "hover.sources = wiki (<root>/.prior-art.toml)",
    ):
        assert line in settings
    (defaults,) = (line for line in settings if line.startswith("by default: "))
    assert "hover.enable = true; " in defaults and "maxFileBytes" not in defaults
    assert [text for text, _ in advised(findings)] == [
        "<root>/.prior-art.toml: hover.enable has to be true or false; it is ignored",
        "~/config.toml: unknown setting hovr.enable; it is ignored",
    ]


def test_a_broken_settings_file_is_named(dock: Path) -> None:
    write(dock / ".prior-art.toml", "hover.enable = \n")
    ((text, advice),) = advised(examine(None, dock))
    assert text.startswith("<root>/.prior-art.toml: cannot be read and is ignored: ") and "line 1" in text
    assert advice == "correct it"


def test_a_cache_that_cannot_be_written_says_why(dock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIOR_ART_CACHE", str(write(dock / "src" / "file") / "cache"))
    ((text, advice),) = advised(examine(None, dock))
    assert text.startswith(
        "$PRIOR_ART_CACHE: 0 B of these stores, not writable: a file is where a folder has to be"
    )
    assert "$PRIOR_ART_CACHE" in advice


def test_a_cache_without_permission_says_so(dock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert any("not writable: permission denied" in text for text, _ in advised(examine(None, dock)))


def test_looking_at_the_cache_makes_none(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIOR_ART_CACHE", str(home / "cache"))
    examine(None, home)
    assert not (home / "cache").exists()


def test_a_variable_is_set_or_unset_and_no_more(dock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MASC_CONFIG_DIR", "gone")
    findings = examine(None, dock)
    assert texts(findings, "variables")[0].startswith("set: MASC_CONFIG_DIR; unset: MASC_BASE_PATH, ")
    assert ("$MASC_CONFIG_DIR names no folder", "correct it, or unset it") in advised(findings)

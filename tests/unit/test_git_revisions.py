"""Older contents of a file: which blobs are revisions of it, and what no repository can make happen."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import unicodedata
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha1, sha256
from itertools import count
from pathlib import Path

import pytest
from files_on_disk import link, write
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lsp_server.sources import git_revisions
from lsp_server.sources.git_revisions import revision_bytes
from lsp_server.sources.knowledge import revision_id_of

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

NAME = ".knowledge/runbooks/deploy.md"
ONE, TWO, THREE = b"# One\n", b"# Two\nmore\n", b"# Three\nmore and more\n"
_SECONDS = count(1_700_000_000, 60)


@dataclass(frozen=True)
class Repository:
    """A repository that the git program keeps, with no settings but its own."""

    folder: Path

    @staticmethod
    def new(folder: Path, *options: str) -> Repository:
        folder.mkdir(parents=True, exist_ok=True)
        repository = Repository(folder)
        repository.git("init", "-q", "-b", "main", *options)
        return repository

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        """Run git in the folder; each call is a minute later than the one before."""
        now = f"{next(_SECONDS)} +0000"
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        environment |= {
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
        }
        for who in ("AUTHOR", "COMMITTER"):
            environment |= {f"GIT_{who}_NAME": who, f"GIT_{who}_EMAIL": who, f"GIT_{who}_DATE": now}
        always = ("-c", "protocol.file.allow=always", "-c", "core.fsync=none")
        command = ["git", *always, "-C", str(self.folder), *arguments]
        run = subprocess.run(command, input=stdin, capture_output=True, env=environment, timeout=60)
        assert run.returncode == 0, run.stderr.decode(errors="replace")
        return run.stdout.decode().strip()

    def commit(self, content: bytes, name: str = NAME) -> str:
        """Commit a file, and tell the id of its blob."""
        write(self.folder / name, content)
        self.git("add", "--", name)
        self.git("commit", "-q", "-m", f"Write {name}")
        return self.git("rev-parse", f"HEAD:{name}")

    def commit_all(self, *contents: bytes) -> list[str]:
        return [self.commit(content) for content in contents]

    def read(self, revision_id: str, name: str = NAME) -> bytes | None:
        return revision_bytes(self.folder / name, revision_id)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository.new(tmp_path / "repository")


# What is a revision of a file


def loose(repository: Repository) -> None:
    assert list((repository.folder / ".git/objects/pack").iterdir()) == []


def packed(repository: Repository) -> None:
    repository.git("gc", "-q", "--prune=now")
    assert not (repository.folder / ".git/refs/heads/main").exists()
    assert "main" in (repository.folder / ".git/packed-refs").read_text()


def packed_in_several(repository: Repository) -> None:
    repository.git("repack", "-q", "-d")
    repository.commit(b"in the second pack")
    repository.git("repack", "-q", "-d")
    repository.git("multi-pack-index", "write")
    repository.git("commit-graph", "write", "--reachable")
    assert len(list((repository.folder / ".git/objects/pack").glob("*.pack"))) == 2


def packed_with_old_index(repository: Repository) -> None:
    repository.git("-c", "pack.indexVersion=1", "gc", "-q", "--prune=now")


@pytest.mark.parametrize("keep", [loose, packed, packed_in_several, packed_with_old_index])
def test_every_committed_content_of_a_file_is_found_by_its_blob_id(
    repository: Repository, keep: Callable[[Repository], None]
) -> None:
    ids = repository.commit_all(ONE, TWO, THREE)
    keep(repository)
    assert [repository.read(revision_id) for revision_id in ids] == [ONE, TWO, THREE]


def test_long_files_that_git_stores_as_differences(repository: Repository) -> None:
    lines = [b"line %d of a long file\n" % n for n in range(2_000)]
    contents = [b"".join([*lines[:n], b"changed\n", *lines[n:]]) for n in range(0, 2_000, 200)]
    ids = repository.commit_all(*contents)
    repository.git("gc", "-q", "--aggressive", "--prune=now")
    assert [repository.read(revision_id) for revision_id in ids] == contents


def test_the_id_is_that_of_git(repository: Repository) -> None:
    for content in (b"", ONE, b"\xff\0\r\n", b"x" * 100_000):
        assert repository.commit(content, "file") == revision_id_of(content)


def test_an_empty_file_is_a_revision_too(repository: Repository) -> None:
    empty, _ = repository.commit_all(b"", ONE)
    assert repository.read(empty) == b""


@pytest.mark.parametrize(
    "hide",
    [
        ("checkout", "-q", "--detach"),
        ("checkout", "-q", "-b", "other"),
        ("tag", "v1"),
        ("tag", "-a", "-m", "annotated", "v1"),
    ],
    ids=" ".join,
)
def test_head_local_branches_and_tags_lead_to_revisions(
    repository: Repository, hide: tuple[str, ...]
) -> None:
    repository.commit(ONE)
    repository.git("checkout", "-q", "-b", "side")
    two = repository.commit(TWO)
    repository.git(*hide)
    if hide[0] == "tag":
        repository.git("checkout", "-q", "main")
    repository.git("branch", "-q", "-D", "side")
    assert repository.read(two) == TWO
    repository.git("pack-refs", "--all")
    assert repository.read(two) == TWO


def test_a_tag_of_a_tag_leads_to_revisions_and_a_tag_of_a_file_does_not(repository: Repository) -> None:
    one = repository.commit(ONE)
    repository.git("checkout", "-q", "--orphan", "side")
    two = repository.commit(TWO)
    repository.git("tag", "-a", "-m", "inner", "inner")
    repository.git("tag", "-a", "-m", "outer", "outer", "inner")
    repository.git("tag", "-d", "inner")
    repository.git("checkout", "-q", "main")
    repository.git("branch", "-q", "-D", "side")
    never_there = repository.git("hash-object", "-w", "--stdin", stdin=THREE)
    repository.git("tag", "blob", never_there)
    assert [repository.read(blob) for blob in (one, two, never_there)] == [ONE, TWO, None]


def test_both_sides_of_a_merge(repository: Repository) -> None:
    one = repository.commit(ONE)
    repository.git("checkout", "-q", "-b", "side")
    two = repository.commit(TWO)
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "-s", "ours", "-m", "merge", "side")
    repository.git("branch", "-q", "-D", "side")
    assert [repository.read(blob) for blob in (one, two)] == [ONE, TWO]


def test_a_file_that_came_and_went(repository: Repository) -> None:
    one = repository.commit(ONE)
    repository.git("rm", "-q", NAME)
    repository.git("commit", "-q", "-m", "Remove")
    assert repository.read(one) == ONE
    two = repository.commit(TWO)
    assert [repository.read(blob) for blob in (one, two)] == [ONE, TWO]


# What is none


def test_other_blobs_of_the_repository_are_not_told(repository: Repository) -> None:
    repository.commit(ONE)
    other_file = repository.commit(b"secret", "secret.md")
    same_name = repository.commit(b"same name", "other/runbooks/deploy.md")
    below = repository.commit(b"below", ".knowledge/runbooks/deploy.md.d/deploy.md")
    amended = repository.commit(b"amended away")
    repository.git("reset", "-q", "--hard", "HEAD~")
    stashed = write(repository.folder / NAME, b"stashed") and repository.git("hash-object", "-w", NAME)
    repository.git("stash", "-q")
    staged = write(repository.folder / NAME, b"staged") and repository.git("hash-object", "-w", NAME)
    repository.git("add", NAME)
    fetched = repository.commit(b"fetched")
    repository.git("update-ref", "refs/remotes/origin/main", "HEAD")
    repository.git("update-ref", "refs/notes/x", "HEAD")
    repository.git("reset", "-q", "--hard", "HEAD~")
    for blob in (other_file, same_name, below, amended, stashed, staged, fetched):
        assert repository.git("cat-file", "-t", blob) == "blob"
        assert repository.read(blob) is None


def test_a_file_that_was_moved_starts_anew(repository: Repository) -> None:
    one = repository.commit(ONE)
    new = ".knowledge/runbooks/release.md"
    repository.git("mv", NAME, new)
    repository.git("commit", "-q", "-m", "Move")
    two = repository.commit(TWO, new)
    assert repository.read(one, new) == ONE  # The commit that moved it has it at the new path.
    assert repository.read(two, new) == TWO
    three = repository.commit(THREE)
    assert repository.read(three, new) is None
    assert repository.read(two) is None


def test_what_is_not_committed_is_not_in_the_history(repository: Repository) -> None:
    repository.commit(ONE)
    write(repository.folder / NAME, TWO)
    assert repository.read(revision_id_of(TWO)) is None


def test_a_link_is_not_a_revision_of_a_file_and_an_executable_file_is(repository: Repository) -> None:
    link(repository.folder / NAME, "elsewhere")
    repository.git("add", NAME)
    repository.git("commit", "-q", "-m", "Link")
    target = repository.git("rev-parse", f"HEAD:{NAME}")
    (repository.folder / NAME).unlink()
    repository.git("update-index", "--add", "--cacheinfo", f"100755,{revision_id_of(ONE)},{NAME}")
    one = repository.git("hash-object", "-w", "--stdin", stdin=ONE)
    repository.git("commit", "-q", "-m", "Program")
    write(repository.folder / NAME, TWO)
    assert [repository.read(blob) for blob in (target, one)] == [None, ONE]


@pytest.mark.parametrize("spoil", [str.upper, lambda it: it[:10], lambda it: it + "0", lambda it: f" {it}"])
def test_only_the_whole_id_in_small_letters_is_an_id(
    repository: Repository, spoil: Callable[[str], str]
) -> None:
    one = repository.commit(ONE)
    assert repository.read(spoil(one)) is None


@pytest.mark.parametrize(
    "text", ["", "HEAD", "main", "../../HEAD", "\ud800" * 40, "한" * 40, "\0" * 40, "g" * 40]
)
def test_what_is_no_id_is_no_revision(repository: Repository, text: str) -> None:
    repository.commit(ONE)
    assert repository.read(text) is None


def test_commits_and_folders_are_no_revisions(repository: Repository) -> None:
    repository.commit(ONE)
    for name in ("HEAD", "HEAD^{tree}", "HEAD:.knowledge"):
        assert repository.read(repository.git("rev-parse", name)) is None


def test_more_than_the_limit_is_not_read(repository: Repository) -> None:
    one = repository.commit(ONE)
    path = repository.folder / NAME
    assert revision_bytes(path, one, max_bytes=len(ONE)) == ONE
    assert revision_bytes(path, one, max_bytes=len(ONE) - 1) is None


# Where a repository is


def test_a_path_with_blanks_and_hangul(repository: Repository) -> None:
    name = ".knowledge/운영 절차/배포 절차 (복사본).md"
    one = repository.commit(ONE, name)
    repository.commit(TWO, name)
    assert repository.read(one, name) == ONE
    # A disk of macOS may spell it in another way than git does.
    assert repository.read(one, unicodedata.normalize("NFD", name)) == ONE


def test_a_name_that_is_not_utf8(repository: Repository) -> None:
    name = os.fsdecode(b"caf\xe9.md")
    try:
        one = repository.commit(ONE, name)
    except OSError:
        pytest.skip("such a name cannot be made here")
    assert repository.read(one, name) == ONE


def test_a_linked_worktree_has_its_own_head_and_the_common_history(repository: Repository) -> None:
    one = repository.commit(ONE)
    repository.git("worktree", "add", "-q", "--detach", "../worktree")
    worktree = Repository(repository.folder.parent / "worktree")
    two = worktree.commit(TWO)
    assert (worktree.folder / ".git").is_file()
    assert [worktree.read(blob) for blob in (one, two)] == [ONE, TWO]
    assert [repository.read(blob) for blob in (one, two)] == [ONE, None]


def test_a_submodule_is_a_repository_of_its_own(repository: Repository, tmp_path: Path) -> None:
    other = Repository.new(tmp_path / "other")
    one = other.commit(ONE, "deploy.md")
    outer = repository.commit(TWO, "module.md")
    repository.git("submodule", "--quiet", "add", str(other.folder), ".knowledge/module")
    repository.git("commit", "-q", "-m", "Module")
    assert (repository.folder / ".knowledge/module/.git").is_file()
    assert repository.read(one, ".knowledge/module/deploy.md") == ONE
    assert repository.read(outer, ".knowledge/module/deploy.md") is None


def test_the_innermost_repository_counts(repository: Repository) -> None:
    outer = repository.commit(ONE)
    inner = Repository.new(repository.folder / ".knowledge")
    two = inner.commit(TWO, "runbooks/deploy.md")
    assert [repository.read(blob) for blob in (outer, two)] == [None, TWO]


def test_a_folder_that_is_merely_called_dot_git_is_passed_over(repository: Repository) -> None:
    one = repository.commit(ONE)
    write(repository.folder / ".knowledge/.git/description")
    write(repository.folder / ".knowledge/runbooks/.git", "gitdir: nowhere\n")
    assert repository.read(one) == ONE


def test_a_folder_that_is_a_link_is_looked_up_where_it_is(repository: Repository, tmp_path: Path) -> None:
    one = repository.commit(ONE, "docs/runbooks/deploy.md")
    repository.commit(TWO, "docs/runbooks/deploy.md")
    link(repository.folder / ".knowledge/runbooks", "../docs/runbooks")
    outside = tmp_path / "outside" / ".knowledge"
    link(outside / "runbooks", repository.folder / "docs" / "runbooks")
    link(outside / "deploy.md", repository.folder / "docs" / "runbooks" / "deploy.md")
    assert repository.read(one) == ONE
    assert revision_bytes(outside / "runbooks" / "deploy.md", one) == ONE
    assert revision_bytes(outside / "deploy.md", one) == ONE


def test_outside_any_repository_and_without_a_commit_there_is_nothing(tmp_path: Path) -> None:
    one = revision_id_of(ONE)
    file = write(tmp_path / "plain" / NAME, ONE)
    assert revision_bytes(file, one) is None
    empty = Repository.new(tmp_path / "empty")
    write(empty.folder / NAME, ONE)
    assert empty.read(one) is None
    empty.git("add", ".")
    assert empty.read(one) is None


@pytest.mark.parametrize("path", ["no/such/file.md", ".", "..", "a\0b", "x" * 5000, ".git/config", ".git"])
def test_paths_that_were_never_committed(repository: Repository, path: str) -> None:
    one = repository.commit(ONE)
    assert repository.read(one, path) is None


def test_a_loop_of_links_is_no_file(repository: Repository) -> None:
    one = repository.commit(ONE)
    link(repository.folder / "loop", "loop")
    assert repository.read(one, "loop/deploy.md") is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"gitdir:",
        b"gitdir: \n",
        b"gitdir: nowhere\n",
        b"gitdir: .\n",
        b"gitdir: a\0b\n",
        b"gitdir: \xff\n",
        b"gitdir: .git\n",
        b"gitdir: " + b"x" * 100_000,
        b"something else\n",
    ],
)
def test_a_file_that_leads_to_no_repository(tmp_path: Path, content: bytes) -> None:
    write(tmp_path / ".git", content)
    assert revision_bytes(write(tmp_path / NAME, ONE), revision_id_of(ONE)) is None


@pytest.mark.parametrize(
    "place", ["//host/share/x.git", r"\\host\share\x.git", r"\\.\pipe\x", r"\\?\UNC\host\x"]
)
def test_a_folder_on_another_machine_is_not_asked(
    tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / ".git", f"gitdir: {place}\n")
    file = write(tmp_path / NAME, ONE)
    asked: list[str] = []
    ask = os.stat

    def spy(path: object, *arguments: object, **keywords: object) -> object:
        asked.append(str(path))
        return ask(path, *arguments, **keywords)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "stat", spy)
    monkeypatch.setattr(os, "lstat", spy)
    assert revision_bytes(file, revision_id_of(ONE)) is None
    assert not [path for path in asked if "host" in path or "pipe" in path]


# Histories with gaps


def test_a_shallow_clone_has_the_revisions_that_it_has(repository: Repository, tmp_path: Path) -> None:
    one, two, three = repository.commit_all(ONE, TWO, THREE)
    shallow = Repository.new(tmp_path / "shallow")
    shallow.git("fetch", "-q", "--depth=2", repository.folder.as_uri(), "main")
    shallow.git("reset", "-q", "--hard", "FETCH_HEAD")
    assert (shallow.folder / ".git/shallow").exists()
    assert [shallow.read(blob) for blob in (one, two, three)] == [None, TWO, THREE]


@pytest.mark.parametrize("leave_out", ["blob:none", "tree:0"])
def test_what_a_partial_clone_left_out_is_not_fetched(
    repository: Repository, tmp_path: Path, leave_out: str
) -> None:
    one, two = repository.commit_all(ONE, TWO)
    repository.git("config", "uploadpack.allowFilter", "true")
    origin = repository.folder.as_uri()
    repository.git("clone", "-q", f"--filter={leave_out}", origin, str(tmp_path / "partial"))
    partial = tmp_path / "partial"
    assert "promisor = true" in (partial / ".git/config").read_text()
    before = state_of(partial)
    assert revision_bytes(partial / NAME, one) is None
    assert revision_bytes(partial / NAME, two) == TWO
    assert state_of(partial) == before


def test_objects_of_alternates_are_not_read(repository: Repository, tmp_path: Path) -> None:
    one = repository.commit(ONE)
    repository.git("clone", "-q", "--shared", str(repository.folder), str(tmp_path / "shared"))
    assert (tmp_path / "shared/.git/objects/info/alternates").exists()
    assert revision_bytes(tmp_path / "shared" / NAME, one) is None


def test_replacements_and_grafts_do_not_change_history(repository: Repository) -> None:
    one, two = repository.commit_all(ONE, TWO)
    top, first = repository.git("rev-list", "HEAD").split()
    hidden = repository.git("hash-object", "-w", "--stdin", stdin=THREE)
    repository.git("replace", one, hidden)
    write(repository.folder / ".git/info/grafts", f"{top}\n")
    assert repository.git("cat-file", "blob", one) == THREE.decode().strip()
    assert repository.git("rev-list", "HEAD").split() == [top] != [top, first]
    assert [repository.read(blob) for blob in (one, two, hidden)] == [ONE, TWO, None]


def test_sha256_repositories_have_no_such_ids(tmp_path: Path) -> None:
    repository = Repository.new(tmp_path / "new", "--object-format=sha256")
    blob = repository.commit(ONE)
    assert blob == sha256(b"blob %d\0" % len(ONE) + ONE).hexdigest()
    for revision_id in (blob, blob[:40], revision_id_of(ONE)):
        assert repository.read(revision_id) is None
    repository.git("gc", "-q")
    assert repository.read(revision_id_of(ONE)) is None


def test_a_repository_with_reftable_is_not_read_and_not_harmed(repository: Repository) -> None:
    one = repository.commit(ONE)
    config = repository.folder / ".git/config"
    config.write_text(config.read_text() + "[extensions]\n\trefStorage = reftable\n")
    before = state_of(repository.folder)
    assert repository.read(one) == ONE  # Its branches are files still, whatever the setting says.
    assert state_of(repository.folder) == before
    shutil.rmtree(repository.folder / ".git/refs/heads")
    write(repository.folder / ".git/refs/heads", "this repository uses the reftable format\n")
    write(repository.folder / ".git/HEAD", "ref: refs/heads/.invalid\n")
    assert repository.read(one) is None


def test_files_whose_line_ends_git_changes(repository: Repository) -> None:
    write(repository.folder / ".gitattributes", "* text=auto eol=crlf\n")
    stored = repository.commit(b"one\r\ntwo\r\n")
    assert stored == revision_id_of(b"one\ntwo\n")
    assert repository.read(stored) == b"one\ntwo\n"
    assert repository.read(revision_id_of(b"one\r\ntwo\r\n")) is None


def test_git_may_pack_objects_meanwhile(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = repository.commit_all(*(b"%d\n" % n for n in range(20)))
    tips = git_revisions._tips

    def pack_and_tell(place: git_revisions._Place) -> Iterator[bytes]:
        yield from tuple(tips(place))
        repository.git("gc", "-q", "--prune=now")

    monkeypatch.setattr(git_revisions, "_tips", pack_and_tell)
    assert repository.read(ids[0]) == b"0\n"


# Damage


@pytest.mark.parametrize("damage", [b"", b"garbage", zlib.compress(b"blob 3\0abc"), zlib.compress(b"")])
def test_a_damaged_object_is_missing_and_nothing_else_is(repository: Repository, damage: bytes) -> None:
    one, two, three = repository.commit_all(ONE, TWO, THREE)
    broken = repository.folder / ".git/objects" / two[:2] / two[2:]
    broken.chmod(0o644)
    broken.write_bytes(damage)
    assert [repository.read(blob) for blob in (one, two, three)] == [ONE, None, THREE]


def test_behind_a_damaged_commit_only_what_something_else_leads_to(repository: Repository) -> None:
    one, two, three = repository.commit_all(ONE, TWO, THREE)
    commit = repository.git("rev-parse", "HEAD~")
    repository.git("tag", "first", "HEAD~2")
    (repository.folder / ".git/objects" / commit[:2] / commit[2:]).unlink()
    assert [repository.read(blob) for blob in (one, two, three)] == [ONE, None, THREE]


def test_an_object_that_holds_something_else_than_its_id_says(repository: Repository) -> None:
    one, two = repository.commit_all(ONE, TWO)
    forged = repository.folder / ".git/objects" / one[:2] / one[2:]
    forged.chmod(0o644)
    forged.write_bytes(zlib.compress(b"blob 6\0# 0ne\n"))
    assert [repository.read(blob) for blob in (one, two)] == [None, TWO]


def test_an_object_that_unpacks_to_more_than_anybody_wants(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_revisions, "MAX_LOOSE_BYTES", 100_000)
    large = b"0" * 10_000_000
    blob, two = repository.commit_all(large, TWO)
    assert [repository.read(revision_id) for revision_id in (blob, two)] == [None, TWO]


@pytest.mark.parametrize("suffix", [".pack", ".idx"])
@pytest.mark.parametrize(
    "content", [b"", b"garbage", b"PACK\0\0\0\2\0\0\0\1" + b"\0" * 20, b"\377tOc" + b"\xff" * 2000]
)
def test_a_broken_pack_hides_no_other(repository: Repository, suffix: str, content: bytes) -> None:
    one = repository.commit(ONE)
    repository.git("gc", "-q", "--prune=now")
    two = repository.commit(TWO)
    (pack,) = (repository.folder / ".git/objects/pack").glob("*.pack")
    for name in ("pack-0", "pack-z"):
        for kind in (".pack", ".idx"):
            write(
                pack.with_name(name + kind),
                content if kind == suffix else pack.with_suffix(kind).read_bytes(),
            )
    write(pack.with_name("multi-pack-index"), content)
    write(repository.folder / ".git/objects/info/commit-graph", content)
    assert [repository.read(blob) for blob in (one, two)] == [ONE, TWO]


@pytest.mark.parametrize(
    "name", ["packed-refs", "HEAD", "refs/heads/main", "refs/tags/broken", "commondir", "shallow"]
)
@pytest.mark.parametrize("content", [b"", b"garbage\n", b"\0\xff" * 50, b"ref: refs/heads/main\n", b"0" * 40])
def test_broken_names_of_commits(repository: Repository, name: str, content: bytes) -> None:
    one = repository.commit(ONE)
    repository.git("branch", "other")
    write(repository.folder / ".git" / name, content)
    assert repository.read(one) in ([None, ONE] if name == "commondir" else [ONE])


def test_a_pipe_is_not_waited_for(repository: Repository) -> None:
    one = repository.commit(ONE)
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes in folders here")
    for name in ("packed-refs", "refs/heads/x", "objects/pack/x.pack", "objects/pack/x.idx", "commondir"):
        os.mkfifo(repository.folder / ".git" / name)
    assert repository.read(one) == ONE


def test_a_commit_that_is_written_in_an_odd_way(repository: Repository) -> None:
    repository.commit(ONE)
    tree = repository.git("rev-parse", "HEAD^{tree}")
    odd = b"tree %s\nauthor\ncommitter nobody > 99999999999999999999999 x\nfoo\n" % tree.encode()
    commit = repository.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=odd)
    one = repository.git("rev-parse", f"HEAD:{NAME}")
    write(repository.folder / ".git/HEAD", commit + "\n")
    write(repository.folder / ".git/refs/heads/main", commit + "\n")
    assert repository.read(one) == ONE


@pytest.fixture(scope="module")
def packed_repository(tmp_path_factory: pytest.TempPathFactory) -> tuple[Repository, dict[str, bytes]]:
    repository = Repository.new(tmp_path_factory.mktemp("damage") / "repository")
    contents = [b"".join(b"line %d\n" % (n * m) for n in range(50)) for m in range(8)]
    ids = repository.commit_all(*contents)
    repository.git("gc", "-q", "--prune=now")
    return repository, dict(zip(ids, contents, strict=True))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_damaged_packs_give_the_right_bytes_or_none(
    packed_repository: tuple[Repository, dict[str, bytes]], data: st.DataObject
) -> None:
    repository, contents = packed_repository
    suffix = data.draw(st.sampled_from([".pack", ".idx"]))
    (file,) = (repository.folder / ".git/objects/pack").glob(f"*{suffix}")
    whole = file.read_bytes()
    broken = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        broken[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.one_of(st.just(len(whole)), st.integers(0, len(whole))))
    replacement = file.with_suffix(".new")
    replacement.write_bytes(broken[:cut])
    replacement.replace(file)
    try:
        for blob, content in contents.items():
            assert repository.read(blob) in (content, None)
    finally:
        replacement.write_bytes(whole)
        replacement.replace(file)
    assert repository.read(next(iter(contents))) is not None


# What a repository can make happen: nothing


HOSTILE = """
[core]
\trepositoryFormatVersion = 1
\tsshCommand = {trap}
\thooksPath = {hooks}
\tpager = {trap}
\teditor = {trap}
\taskPass = {trap}
\tgitProxy = {trap}
\talternateRefsCommand = {trap}
\tattributesFile = {attributes}
[diff]
\texternal = {trap}
[diff "x"]
\ttextconv = {trap}
\tcommand = {trap}
[filter "x"]
\tclean = {trap}
\tsmudge = {trap}
\tprocess = {trap}
\trequired = true
[gpg]
\tprogram = {trap}
[log]
\tshowSignature = true
[credential]
\thelper = !{trap}
[uploadpack]
\tpackObjectsHook = {trap}
[remote "origin"]
\turl = ext::{trap}
\tpromisor = true
\tpartialCloneFilter = blob:none
[extensions]
\tpartialClone = origin
[include]
\tpath = {included}
"""

CHILD = """
import os, sys
from pathlib import Path
from lsp_server.sources.git_revisions import revision_bytes

LOOKING = {"os.listdir", "os.scandir", "os.walk"}
SETTINGS = {"config", "config.worktree", ".gitattributes"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
noted = []

def note(event, arguments):
    kind = event.partition(".")[0]
    if event == "open":
        name, _, flags = arguments
        if flags & WRITING or os.path.basename(os.fsdecode(name)) in SETTINGS:
            noted.append((event, name))
    elif kind in ("subprocess", "socket", "shutil", "ctypes") or (kind == "os" and event not in LOOKING):
        noted.append((event, arguments))

path, ids = Path(sys.argv[1]), sys.argv[2:]
sys.addaudithook(note)
found = [revision_bytes(path, revision_id) for revision_id in ids]
print(found, noted)
"""


def state_of(folder: Path) -> dict[str, tuple[int, int, int, bytes]]:
    """All that can be seen of a repository's files, but for when they were read."""
    state = {}
    for path in sorted((folder / ".git").rglob("*")):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() else b""
        state[str(path)] = (status.st_mode, status.st_mtime_ns, status.st_ctime_ns, sha1(content).digest())
    return state


@pytest.mark.parametrize("keep", [loose, packed])
def test_settings_run_nothing_fetch_nothing_and_write_nothing(
    repository: Repository, tmp_path: Path, keep: Callable[[Repository], None]
) -> None:
    one, two = repository.commit_all(ONE, TWO)
    keep(repository)
    missing = revision_id_of(THREE)
    sprung = tmp_path / "sprung"
    trap = write(tmp_path / "trap", f"#!/bin/sh\ntouch '{sprung}'\nexit 1\n")
    trap.chmod(0o755)
    for hook in ("post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman"):
        for folder in (repository.folder / ".git/hooks", tmp_path / "hooks"):
            write(folder / hook, trap.read_bytes()).chmod(0o755)
    write(repository.folder / ".gitattributes", "* filter=x diff=x\n")
    hostile = HOSTILE.format(
        trap=trap,
        hooks=tmp_path / "hooks",
        attributes=repository.folder / ".gitattributes",
        included=write(tmp_path / "included", f"[core]\n\tfsmonitor = {trap}\n"),
    )
    config = repository.folder / ".git/config"
    config.write_text(config.read_text() + hostile)
    before = state_of(repository.folder)

    run = subprocess.run(
        [sys.executable, "-c", CHILD, str(repository.folder / NAME), one, two, missing],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.stdout.strip() == f"{[ONE, TWO, None]} []", run.stderr
    assert not sprung.exists()
    assert state_of(repository.folder) == before

    status = ["git", "-C", str(repository.folder), "status"]
    subprocess.run(status, capture_output=True, timeout=60)
    assert sprung.exists(), "the traps are none"


@pytest.mark.parametrize(
    "setting",
    [
        "[core]\n\trepositoryFormatVersion = 99\n",
        "[extensions]\n\tnobodyKnows = true\n",
        "[core]\n\tbare = true\n\tworktree = /nowhere\n",
        "[core]\n\tworktree = /nowhere\n",
        "not a setting at all [[[\n",
        "[include]\n\tpath = config\n",
    ],
)
def test_settings_that_git_obeys_or_refuses_change_nothing(repository: Repository, setting: str) -> None:
    one = repository.commit(ONE)
    config = repository.folder / ".git/config"
    config.write_text(config.read_text() + setting)
    assert repository.read(one) == ONE


def test_the_variables_of_git_change_nothing(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    one = repository.commit(ONE)
    for name in (
        "GIT_DIR",
        "GIT_COMMON_DIR",
        "GIT_OBJECT_DIRECTORY",
        "GIT_WORK_TREE",
        "GIT_CEILING_DIRECTORIES",
    ):
        monkeypatch.setenv(name, str(repository.folder.parent))
    assert repository.read(one) == ONE


# How long it takes


def grow(repository: Repository, commits: int) -> list[str]:
    """A history of many commits, each of which changes the file and another one; the oldest first."""
    stream: list[bytes] = []
    for n in range(commits):
        content = b"# Deploy\nrevision %d\n" % n
        stream.append(
            b"commit refs/heads/main\ncommitter A <a@b> %d +0000\ndata 1\nx\n"
            b"M 100644 inline %s\ndata %d\n%s\nM 100644 inline src/%d/code.py\ndata 3\n%03d\n"
            % (1_600_000_000 + 60 * n, NAME.encode(), len(content), content, n % 30, n % 1000)
        )
    repository.git("fast-import", "--quiet", stdin=b"".join(stream))
    return [revision_id_of(b"# Deploy\nrevision %d\n" % n) for n in range(commits)]


def test_two_thousand_commits_take_no_time(repository: Repository) -> None:
    ids = grow(repository, 2_000)
    elsewhere = revision_id_of(b"007")
    started = time.process_time()
    assert repository.read(ids[0]) == b"# Deploy\nrevision 0\n"
    assert repository.read(ids[-1]) == b"# Deploy\nrevision 1999\n"
    assert repository.read(elsewhere) is None
    assert time.process_time() - started < 5


def test_history_is_looked_at_up_to_a_limit(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = grow(repository, 50)
    monkeypatch.setattr(git_revisions, "MAX_COMMITS", 10)
    found = [repository.read(revision_id) is not None for revision_id in ids]
    assert found == [False] * 40 + [True] * 10
    monkeypatch.setattr(git_revisions, "MAX_COMMITS", 1_000)
    monkeypatch.setattr(git_revisions, "MAX_UNPACKED_BYTES", 10_000)
    found = [repository.read(revision_id) is not None for revision_id in ids]
    assert found == sorted(found) and True in found and False in found


def test_the_newest_commits_of_all_branches_are_looked_at_first(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit_all(*(b"%d\n" % n for n in range(5)))
    repository.git("checkout", "-q", "-b", "side")
    two = repository.commit(TWO)
    repository.git("checkout", "-q", "main")
    monkeypatch.setattr(git_revisions, "MAX_COMMITS", 3)
    assert repository.read(two) == TWO


def test_only_so_many_branches_and_tags_are_looked_at_but_always_head(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = repository.commit(ONE)
    for name in ("a", "b", "c"):
        repository.git("branch", name)
    two = repository.commit(TWO)
    monkeypatch.setattr(git_revisions, "MAX_TIPS", 1)
    assert [repository.read(blob) for blob in (one, two)] == [ONE, TWO]

import os
import string
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lsp_server.paths import file_path, file_uri, location_of, path_of, relative_uri, shown, uri_of

on_posix = pytest.mark.skipif(os.name == "nt", reason="paths of POSIX")

POSIX = [
    ("file:///home/u/x.py", "/home/u/x.py"),
    ("file:///", "/"),
    ("file:/home/u/x.py", "/home/u/x.py"),
    ("FILE:///home/u/x.py", "/home/u/x.py"),
    ("file://localhost/home/u/x.py", "/home/u/x.py"),
    ("file://LOCALHOST/home/u/x.py", "/home/u/x.py"),
    ("file:///a%20b/c.py", "/a b/c.py"),
    ("file:///a b/c.py", "/a b/c.py"),
    ("file:///a+b.py", "/a+b.py"),
    ("file:///%EC%84%9C%EB%AA%85.py", "/서명.py"),
    ("file:///서명.py", "/서명.py"),
    ("file:///a%23b.py", "/a#b.py"),
    ("file:///a.py#L3", "/a.py"),
    ("file:///a%3Fb.py", "/a?b.py"),
    ("file:///a.py?x=1", "/a.py"),
    ("file:///100%25.py", "/100%.py"),
    ("file:///100%.py", "/100%.py"),
    ("file:///a%2520b", "/a%20b"),
    ("file:///a;v=1.py", "/a;v=1.py"),
    ("file:///a:b.py", "/a:b.py"),
    ("file:///a%5Cb", "/a\\b"),
    ("file:///c%3A/x", "/c:/x"),
    ("file:///C:/x", "/C:/x"),
    ("file://server/share/x", "//server/share/x"),
    ("file:///caf%E9.py", os.fsdecode(b"/caf\xe9.py") if os.name != "nt" else "/caf\udce9.py"),
    ("file:///new%0Aline", "/new\nline"),
]
WINDOWS = [
    ("file:///c%3A/x", "C:\\x"),
    ("file:///C:/x", "C:\\x"),
    ("file:///c:/x", "C:\\x"),
    ("file:///C%3a/x", "C:\\x"),
    ("file:///c:", "C:\\"),
    ("file:///c%3A/", "C:\\"),
    ("file:///d%3A/a%20b/%EC%84%9C%EB%AA%85.py", "D:\\a b\\서명.py"),
    ("file:///c:/100%25/%23.py", "C:\\100%\\#.py"),
    ("file://localhost/c:/x", "C:\\x"),
    ("file://server/share/a%20b", "\\\\server\\share\\a b"),
    ("file://wsl.localhost/Ubuntu/home", "\\\\wsl.localhost\\Ubuntu\\home"),
    ("file://wsl%24/Ubuntu/home", "\\\\wsl$\\Ubuntu\\home"),
    ("file:///caf%E9.py", "\\caf�.py"),
]
NO_FILE = [
    "",
    "x",
    "/home/u/x.py",
    "C:\\x",
    "file:",
    "file://",
    "file://server",
    "file:x.py",
    "file:///a%00b",
    "https://example.org/x.py",
    "untitled:Untitled-1",
    "git:/home/u/x.py?ref=HEAD",
    "://",
    "file://[broken",
    "\n",
]


@pytest.mark.parametrize(("uri", "path"), POSIX)
def test_a_uri_names_a_posix_path(uri: str, path: str) -> None:
    assert file_path(uri, windows=False) == path


@pytest.mark.parametrize(("uri", "path"), WINDOWS)
def test_a_uri_names_a_windows_path(uri: str, path: str) -> None:
    assert file_path(uri, windows=True) == path


@pytest.mark.parametrize("uri", NO_FILE)
@pytest.mark.parametrize("windows", [False, True])
def test_what_names_no_file(uri: str, windows: bool) -> None:
    assert file_path(uri, windows=windows) is None


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("/", "file:///"),
        ("/home/u/x.py", "file:///home/u/x.py"),
        ("/a b/c.py", "file:///a%20b/c.py"),
        ("/서명.py", "file:///%EC%84%9C%EB%AA%85.py"),
        ("/a#b?c%d.py", "file:///a%23b%3Fc%25d.py"),
        ("/a\\b", "file:///a%5Cb"),
        ("/C:/x", "file:///C%3A/x"),
        ("//server/share", "file://server/share"),
        ("//x", "file:////x"),
        ("/caf\udce9", "file:///caf%E9"),
    ],
)
def test_a_posix_path_as_a_uri(path: str, uri: str) -> None:
    assert file_uri(path, windows=False) == uri
    assert file_path(uri, windows=False) == path


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("C:\\x", "file:///C:/x"),
        ("c:\\a b\\서명.py", "file:///C:/a%20b/%EC%84%9C%EB%AA%85.py"),
        ("C:\\", "file:///C:/"),
        ("c:/x/y", "file:///C:/x/y"),
        ("C:\\100%\\#.py", "file:///C:/100%25/%23.py"),
        ("\\\\server\\share\\a b", "file://server/share/a%20b"),
        ("\\\\wsl$\\Ubuntu", "file://wsl%24/Ubuntu"),
    ],
)
def test_a_windows_path_as_a_uri(path: str, uri: str) -> None:
    assert file_uri(path, windows=True) == uri
    again = file_path(uri, windows=True)
    assert again is not None
    assert again.lower() == path.replace("/", "\\").lower()


# Whatever a POSIX name may be made of: bytes that are no text come as lone surrogates.
names = st.text(
    st.one_of(
        st.characters(blacklist_categories=("Cs",), blacklist_characters="/\0"),
        st.sampled_from("#%?;:\\ ~+&=@[]{}|"),
        st.integers(0xDC80, 0xDCFF).map(chr),
    ),
    min_size=1,
    max_size=12,
)
windows_names = st.text(
    st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters='/\\:*?"<>|'),
    min_size=1,
    max_size=12,
)


@given(st.lists(names, max_size=5))
def test_every_posix_path_survives_the_way_to_a_uri_and_back(parts: list[str]) -> None:
    path = "/" + "/".join(parts)
    # Lone bytes that happen to make up text together are that text.
    assume(path.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape") == path)
    uri = file_uri(path, windows=False)
    assert uri.isascii() and " " not in uri
    assert file_path(uri, windows=False) == path


@given(st.sampled_from(string.ascii_letters), st.lists(windows_names, max_size=5))
def test_every_windows_path_survives_the_way_to_a_uri_and_back(drive: str, parts: list[str]) -> None:
    path = f"{drive.upper()}:\\" + "\\".join(parts)
    for given_path in (path, path[0].lower() + path[1:]):
        uri = file_uri(given_path, windows=True)
        assert uri.isascii()
        assert file_path(uri, windows=True) == path
        # As VS Code writes it.
        escaped = uri.replace(f"/{drive.upper()}:", f"/{drive.lower()}%3A", 1)
        assert file_path(escaped, windows=True) == path


@given(st.text() | st.text(st.characters()).map("file:///".__add__))
def test_no_text_of_a_client_raises(uri: str) -> None:
    for windows in (False, True):
        path = file_path(uri, windows=windows)
        assert path is None or "\0" not in path
    path_of(uri)
    location_of(uri)


@on_posix
@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///ws/a.py", "/ws/a.py"),
        ("vscode-notebook-cell:/ws/a%20b.ipynb#W0sZmlsZQ%3D%3D", "/ws/a b.ipynb"),
        ("vscode-notebook-cell://ssh-remote%2Bx/ws/a.ipynb#W1", "/ws/a.ipynb"),
        ('git:/ws/a.py?{"path":"/ws/a.py","ref":"~"}', "/ws/a.py"),
        ("git:/ws/a.py.git?x", "/ws/a.py.git"),
        ("gitlens://1234/ws/%EC%84%9C.py", "/ws/서.py"),
        ("vscode-remote://wsl%2Bubuntu/home/u/x.py", "/home/u/x.py"),
        ("untitled:Untitled-1", None),
        ("untitled:/ws/a.py", None),
        ("output:extension-output-1", None),
        ("inmemory:model", None),
        ("file:a.py", None),
        ("/ws/a.py", None),
        ("", None),
        ("git:/a%00b", None),
        ("x://[broken/a.py", "/a.py"),
    ],
)
def test_where_a_document_lies(uri: str, path: str | None) -> None:
    assert location_of(uri) == (None if path is None else Path(path))


def test_only_file_uris_name_a_file() -> None:
    assert path_of("git:/ws/a.py") is None
    assert path_of("file://server") is None


def test_a_line_is_a_fragment(tmp_path: Path) -> None:
    page = tmp_path / "키 교체 #1.md"
    assert uri_of(page) == page.as_uri()
    assert uri_of(str(page), 12) == page.as_uri() + "#L12"
    assert path_of(uri_of(page, 12)) == page


def test_shown_is_relative_only_below_the_root(tmp_path: Path) -> None:
    assert shown(tmp_path / "a" / "b.md", tmp_path) == "a/b.md"
    assert shown(str(tmp_path / "a" / "b.md"), tmp_path) == "a/b.md"
    assert shown(tmp_path.parent / "b.md", tmp_path) == str(tmp_path.parent / "b.md")
    # A folder whose name merely begins alike is another one.
    assert shown(f"{tmp_path}-old/b.md", tmp_path) == str(Path(f"{tmp_path}-old/b.md"))
    assert shown(tmp_path, tmp_path) == "."


# -- References from a folder


@on_posix
@pytest.mark.parametrize(
    ("path", "folder", "line", "reference"),
    [
        ("/w/docs/wiki/a.md", "/w", None, "docs/wiki/a.md"),
        ("/w/docs/wiki/a.md", "/w", 12, "docs/wiki/a.md#L12"),
        ("/w/docs/wiki/a.md", "/w/docs/wiki", 1, "a.md#L1"),
        ("/w/a.md", "/w/storage/pages", 1, "../../a.md#L1"),
        ("/elsewhere/a.md", "/w/pages", None, "../../elsewhere/a.md"),
        ("/w/키 교체/절차 (v2) [draft].md", "/w", 3,
         "%ED%82%A4%20%EA%B5%90%EC%B2%B4/%EC%A0%88%EC%B0%A8%20%28v2%29%20%5Bdraft%5D.md#L3"),
        ("/w/a#b?c%20.md", "/w", None, "a%23b%3Fc%2520.md"),
        # Before a `/` a colon would end a scheme.
        ("/w/git:x.md", "/w", None, "git%3Ax.md"),
        ("/w/a\\b<c>\n.md", "/w", None, "a%5Cb%3Cc%3E%0A.md"),
        ("/w/caf\udce9.md", "/w", None, "caf%E9.md"),
        ("/w", "/w", None, "."),
        ("/w/a.md", "/w/x/../", None, "a.md"),
        ("/w/a.md", Path("/w"), None, "a.md"),
    ],
)  # fmt: skip
def test_a_reference_from_a_folder(path: str, folder: str | Path, line: int | None, reference: str) -> None:
    assert relative_uri(path, folder, line) == reference
    assert relative_uri(Path(path), folder, line) == reference


name = st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=8).filter(
    lambda text: text not in (".", "..")
)
places = st.lists(name, min_size=1, max_size=4).map("/".join)


@on_posix
@given(places, places)
def test_a_reference_leads_to_its_path(path: str, folder: str) -> None:
    reference = relative_uri(f"/{path}", f"/{folder}", 7)
    assert set(reference) <= set(string.ascii_letters + string.digits + "/._-~%#")
    parts = urlsplit(reference)
    assert (parts.scheme, parts.netloc, parts.query, parts.fragment) == ("", "", "", "L7")
    way = os.fsdecode(unquote_to_bytes(parts.path))
    assert os.path.normpath(f"/{folder}/{way}") == f"/{path}"


def test_no_way_leads_to_another_drive(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = tmp_path / "키 (1).md"

    def on_another_drive(_path: object, _folder: object) -> str:
        raise ValueError("path is on mount 'D:', start on mount 'C:'")

    monkeypatch.setattr(os.path, "relpath", on_another_drive)
    assert relative_uri(page, "C:/pages", 3) == uri_of(page, 3)
    assert relative_uri(page, "C:/pages") == uri_of(page)

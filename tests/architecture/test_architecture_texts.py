"""What no file may hold: package registries, paths of one machine, conflict marks; and what is at the top."""

import re

import pytest
from source_tree import ROOT, files, texts

TOP = {
    "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "contracts", "deploy",
    "docker-compose.yml", "docs", "libs", "pyproject.toml", "requirements.lock", "services", "tests",
}  # fmt: skip
FORBIDDEN = {
    "a package registry": re.compile(r"py[p]i\.org|python[h]osted|npm[j]s\.org|--(?:extra-)?ind[e]x-url|/sim[p]le/"),
    "a path of one machine": re.compile(r"(?<![\w.-])/(?:w[o]rk|r[o]ot|h[o]me/[a-z]+)/[A-Za-z.]"),
    "a conflict mark": re.compile(r"^(?:<{7} |>{7} |={7}$)", re.MULTILINE),
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_text_holds(what: str) -> None:
    hits = [f"{path}: {hit.group(0)}" for path, text in texts() if (hit := FORBIDDEN[what].search(text))]
    assert hits == []


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("a package registry", "https://files.python" + "hosted.org/x"),
        ("a path of one machine", "see /ro" + "ot/.cache"),
        ("a conflict mark", "<" * 7 + " HEAD"),
    ],
)
def test_what_is_forbidden_is_found(what: str, text: str) -> None:
    assert FORBIDDEN[what].search(text)


def test_the_top_level_holds_the_places_agreed_on() -> None:
    shown = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert shown - TOP - {"demo-output", "__pycache__"} == set()


def test_no_other_lock_stands_beside_ours() -> None:
    assert [p.name for p in files() if p.name in {"uv.lock", "package-lock.json", "poetry.lock"}] == []

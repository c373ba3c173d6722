"""What texts say: what none may hold, what is at the top, what `make check` tells first, and the table of failures."""

import re

import pytest
from source_tree import ROOT, files, python_files, texts

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


@pytest.mark.req("E2")
def test_a_broken_contract_is_told_before_what_it_breaks() -> None:
    recipe = (ROOT / "Makefile").read_text().partition("\ncheck:")[2].partition("\n\n")[0]
    commands = re.findall(r"^\t@(.*)", recipe, re.MULTILINE)
    assert commands[0] == "$(BIN)/python contracts/generate.py --check"


LINE = re.compile(r"^\| `([a-z-]+)` \|", re.MULTILINE)
MARK = re.compile(r"^@pytest\.mark\.failure\(\"([a-z-]+)\"\)$", re.MULTILINE)


@pytest.mark.req("P17")
def test_every_line_of_the_table_of_failures_has_a_test_and_the_other_way_round() -> None:
    table = (ROOT / "docs" / "failures.md").read_text(encoding="utf-8")
    marked = {m for path in python_files() if path.name.startswith("test_") for m in MARK.findall(path.read_text())}
    assert (lines := LINE.findall(table))
    assert sorted(lines) == sorted(marked)

"""Folders of document kinds, in packages that are planted where Python looks for them."""

import re
import shutil
from pathlib import Path

import pytest
from stemma_kinds import KindError, find_kinds, merged
from stemma_testkit.house import add_kind, house, stand_in

SHIPPED = {"agentic", "design_document", "proposal", "roles"}


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that Python looks for packages in."""
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.mark.req("P5")
def test_a_package_of_a_house_adds_its_kinds_to_those_that_ship(path: Path) -> None:
    assert find_kinds().keys() == SHIPPED
    kinds = house(path)
    add_kind(kinds, {}, "memo")
    (kinds / "drafts").mkdir()
    assert find_kinds().keys() == SHIPPED | {"memo"}


def test_a_kind_of_a_house_stands_in_for_the_one_that_ships(path: Path) -> None:
    shipped = find_kinds()["proposal"]
    own = stand_in(house(path), "proposal")
    assert find_kinds()["proposal"].path == own
    assert find_kinds()["proposal"].digest == shipped.digest


def test_the_same_kind_of_two_houses_is_refused_by_both_names(path: Path) -> None:
    add_kind(house(path, "first_house"), {}, "memo")
    add_kind(house(path, "second_house"), {}, "memo")
    with pytest.raises(KindError, match=r"^the kind memo is in first_house and in second_house$"):
        find_kinds()


def test_a_package_that_is_not_there_is_refused_by_its_name(path: Path) -> None:
    shutil.rmtree(house(path))
    with pytest.raises(KindError, match=r"there is no package house_kinds$"):
        find_kinds()


def test_packages_of_kinds_are_not_imported(path: Path) -> None:
    kinds = house(path)
    (kinds / "__init__.py").write_text("raise AssertionError")
    add_kind(kinds, {}, "memo")
    assert "memo" in find_kinds()


@pytest.mark.parametrize("name", ["house_kinds.more", ".more", "__main__", "house_kinds:more"])
def test_a_name_that_is_none_of_a_top_level_package_is_refused_and_nothing_imported(path: Path, name: str) -> None:
    kinds = house(path)
    (kinds / "__init__.py").write_text("raise AssertionError")
    (kinds / "more").mkdir()
    (path / "house_kinds-1.dist-info/entry_points.txt").write_text(f"[stemma.kinds]\nhouse = {name}\n")
    with pytest.raises(KindError, match=rf"^stemma\.kinds: .*{re.escape(name)}"):
        find_kinds()


@pytest.mark.parametrize("name", ["criteria/research.json", "blueprint.json", "prompts/editor/revise/research.md"])
def test_every_file_of_a_kind_counts_for_its_digest(path: Path, name: str) -> None:
    own, before = stand_in(house(path), "proposal"), find_kinds()["proposal"].digest
    (own / name).write_text("other")
    assert find_kinds()["proposal"].digest != before


def test_names_count_for_the_digest_and_what_tools_leave_does_not(path: Path) -> None:
    own, before = stand_in(house(path), "proposal"), find_kinds()["proposal"].digest
    (own / "__pycache__").mkdir()
    (own / "__pycache__" / "x.pyc").write_text("compiled")
    (own / ".DS_Store").write_text("left")
    assert find_kinds()["proposal"].digest == before
    (own / "criteria/research.json").rename(own / "criteria/search.json")
    assert find_kinds()["proposal"].digest != before


def test_no_file_is_taken_that_does_not_count_for_the_digest(path: Path) -> None:
    own, before = stand_in(house(path), "proposal"), find_kinds()["proposal"]
    files = before.files("criteria", ".json")
    (own / "criteria/__x").mkdir()
    (own / "criteria/folder.json").mkdir()
    for name in (".research.json", "__x/research.json"):
        (own / "criteria" / name).write_text("[]")
    after = find_kinds()["proposal"]
    assert after.digest == before.digest
    assert after.files("criteria", ".json").keys() == files.keys()


def test_a_file_that_two_kinds_have_is_one_file_or_refused(path: Path) -> None:
    kinds = house(path)
    stand_in(kinds, "proposal").rename(kinds / "tender")
    found = find_kinds()
    assert merged(found.values(), "criteria", ".json").keys() > {"research.json", "draft_hld.json", "roles.json"}
    (kinds / "tender/criteria/research.json").write_text("[]")
    with pytest.raises(KindError, match=r"^criteria/research\.json: proposal and tender have another one"):
        merged(found.values(), "criteria", ".json")

"""Blueprints and dependency maps as files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from stemma_orchestrator.catalog import ConfigError, load_catalog

CONFIG = Path(__file__).parents[1] / "config"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return Path(shutil.copytree(CONFIG, tmp_path / "config"))


@pytest.mark.req("P5")
def test_ships_the_proposal_with_its_eight_sections() -> None:
    proposal = load_catalog(CONFIG)["proposal"]
    assert [section.id for section in proposal.blueprint.sections] == [
        "research",
        "solution",
        "connections",
        "problem_statement",
        "approach",
        "timeline",
        "budget",
        "conclusion",
    ]
    assert proposal.dependencies["conclusion"] == ("problem_statement", "approach", "timeline", "budget")


@pytest.mark.req("P4")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"proposal": {"research": ["budget"], "budget": ["research"]}}', r"dependencies.json: .*cycle: "),
        ('{"proposal": {"research": ["research"]}}', "'research' depends on itself"),
        ('{"proposal": {"research": ["x"]}}', "names the section 'x'"),
        ('{"proposal": {"research": [], "research": []}}', "'research' stands there twice"),
        ('{"proposal": {"a b": []}}', r"proposal\.a b"),
        ('{"proposal":\n {"research": [}}', "line 2"),
        ("[]", "must be a JSON object"),
    ],
)
def test_refuses_a_dependency_file_naming_what_is_wrong(config: Path, text: str, message: str) -> None:
    (config / "dependencies.json").write_text(text)
    with pytest.raises(ConfigError, match=message):
        load_catalog(config)


@pytest.mark.req("P16")
def test_refuses_a_blueprint_with_a_misspelled_field(config: Path) -> None:
    file = config / "blueprints" / "proposal.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"max_lint_round": 1}))
    with pytest.raises(ConfigError, match=r"proposal\.json: max_lint_round"):
        load_catalog(config)


def test_a_blueprint_may_carry_its_own_dependencies(config: Path) -> None:
    section = {"title": "T", "kind": "k", "purpose": "p"}
    blueprint = {
        "kind": "note",
        "title": "Note",
        "dependencies": {"b": ["a"]},
        "sections": [{"id": "a", **section}, {"id": "b", **section}],
    }
    (config / "blueprints" / "note.json").write_text(json.dumps(blueprint))
    assert load_catalog(config)["note"].dependencies == {"b": ("a",)}


def test_the_digest_of_a_kind_changes_with_its_dependencies(config: Path) -> None:
    before = load_catalog(config)["proposal"].digest
    file = config / "dependencies.json"
    maps = json.loads(file.read_text())
    maps["proposal"]["budget"] = ["research"]
    file.write_text(json.dumps(maps))
    assert load_catalog(config)["proposal"].digest != before

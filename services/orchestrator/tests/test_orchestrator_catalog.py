"""Blueprints and dependency maps as files."""

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from stemma_domain.features.cycles import human_review, should_revise
from stemma_domain.state import Document
from stemma_kinds import find_kinds
from stemma_languages import language, shipped
from stemma_orchestrator.catalog import Catalog, ConfigError, digests, document_kinds, load_catalog
from stemma_testkit.house import add_kind, house, in_config, own_config, stand_in

CONFIG = Path(__file__).parents[1] / "config"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """That of an operator who has blueprints in it."""
    return in_config(own_config(tmp_path))


@pytest.mark.req("P4", "P5")
def test_ships_the_proposal_with_its_eight_sections_and_the_dependency_maps_in_the_file_alone(catalog: Catalog) -> None:
    assert [section.id for section in catalog["proposal"].blueprint.sections] == [
        "research", "solution", "connections", "problem_statement", "approach", "timeline", "budget", "conclusion",
    ]  # fmt: skip
    maps = json.loads((CONFIG / "dependencies.json").read_text(encoding="utf-8"))
    assert {name: kind.dependencies for name, kind in catalog.items() if kind.dependencies} == {
        name: {section: tuple(upstreams) for section, upstreams in one.items()} for name, one in maps.items()
    }
    assert [name for name, kind in catalog.items() if kind.blueprint.dependencies is not None] == []


def test_a_kind_tells_what_files_it_is_written_from(catalog: Catalog) -> None:
    told = {kind.kind: kind.sections[0].needs_input for kind in document_kinds(catalog)}
    assert ("text/markdown" in told["agentic"], told["proposal"]) == (True, ())


@pytest.mark.req("D1", "D3", "D6")
def test_the_routes_of_the_design_document_stand_in_the_readme_as_code_has_them(catalog: Catalog) -> None:
    text = (CONFIG.parent / "README.md").read_text("utf-8").partition("## The design document")[2]
    rows = [line.strip("| ").split(" | ") for line in text.split("\n## ")[0].splitlines() if line.startswith("| `")]
    kinds = [section.kind for section in catalog["design_document"].blueprint.sections]
    chain = ["project_brief", *kinds[:4]]
    expected = {(a, "always", b) for a, b in pairwise(chain)} | {(kinds[4], "always", "human_review")}
    expected |= {
        ("review_doc", f"should_revise is {to}", at) for to, at in (("revise", kinds[0]), ("continue", kinds[4]))
    }
    ends = {"approved": "END", "revise": kinds[0], "waiting": "human_review"}
    expected |= {("human_review", f"human_review is {route}", ends[route]) for route in routes_of(human_review)}
    assert {tuple(cell.replace("`", "") for cell in row) for row in rows} == expected
    assert set(routes_of(should_revise)) == {"revise", "continue"}


def routes_of(function: Callable[[Document], str]) -> tuple[str, ...]:
    return get_args(get_type_hints(function)["return"])


@pytest.mark.req("D1", "D2")
def test_ships_the_design_document_with_what_each_agent_must_have_before_it_is_called(catalog: Catalog) -> None:
    sections = catalog["design_document"].blueprint.sections
    assert {section.agent: tuple(section.requires) for section in sections} == {
        "SystemArchitectAgent": ("project_brief",),
        "APIDataAgent": ("hld_draft",),
        "DatabaseDesignerAgent": ("lld_draft",),
        "ReviewerAgent": (),
        "WriterFormatterAgent": ("database_schema",),
    }
    kinds = ["draft_hld", "draft_lld", "design_database", "review_doc", "format_doc"]
    assert [section.kind for section in sections] == kinds


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
        ('{"poem": {"verse": []}}', r"dependencies\.json: there is no kind 'poem'; there are: agentic, .*proposal"),
    ],
)
def test_refuses_a_dependency_file_naming_what_is_wrong(config: Path, text: str, message: str) -> None:
    (config / "dependencies.json").write_text(text)
    with pytest.raises(ConfigError, match=message):
        load_catalog(config)


@pytest.mark.req("P16")
@pytest.mark.parametrize(("field", "value"), [("max_lint_round", 1), ("sections", []), ("title", "")])
def test_refuses_a_blueprint_by_the_field_that_is_wrong(config: Path, field: str, value: object) -> None:
    file = config / "blueprints" / "proposal.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {field: value}))
    with pytest.raises(ConfigError, match=rf"proposal\.json: {field}"):
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


@pytest.mark.req("P4")
@pytest.mark.parametrize("own", [{}, {"solution": ["research"]}])
def test_refuses_two_dependency_maps_of_one_kind_naming_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: dict[str, list[str]]
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    blueprint = stand_in(house(tmp_path), "proposal") / "blueprint.json"
    blueprint.write_text(json.dumps(json.loads(blueprint.read_text()) | {"dependencies": own}))
    with pytest.raises(ConfigError, match=r"^proposal/blueprint\.json: 'proposal' .* here and in dependencies\.json: "):
        load_catalog(CONFIG)
    config = own_config(tmp_path)
    maps = json.loads((config / "dependencies.json").read_text())
    (config / "dependencies.json").write_text(json.dumps({name: maps[name] for name in maps if name != "proposal"}))
    assert load_catalog(config)["proposal"].dependencies == {name: tuple(upstreams) for name, upstreams in own.items()}


@pytest.mark.req("P4")
def test_refuses_two_dependency_maps_of_a_kind_in_the_config_folder(config: Path) -> None:
    file = config / "blueprints" / "proposal.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"dependencies": {}}))
    with pytest.raises(ConfigError, match=r"^proposal\.json: .* remove one of the two$"):
        load_catalog(config)


def test_the_digest_of_a_kind_changes_with_its_dependencies(config: Path) -> None:
    before = load_catalog(config)["proposal"].digest
    file = config / "dependencies.json"
    maps = json.loads(file.read_text())
    maps["proposal"]["budget"] = ["research"]
    file.write_text(json.dumps(maps))
    assert load_catalog(config)["proposal"].digest != before


def test_a_kind_of_a_package_tells_the_digest_of_its_folder_and_one_of_the_config_folder_has_none(
    config: Path, catalog: Catalog
) -> None:
    assert digests(catalog) == {name: kind.digest for name, kind in find_kinds().items()}
    assert {kind.kind: kind.digest for kind in document_kinds(catalog)} == digests(catalog)
    assert digests(load_catalog(config)) == {}


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("blueprint.json", r"^note/blueprint\.json: kind: its folder is called note$"),
        ("titles/xx.json", r"^note/titles/xx\.json: there is no language 'xx'"),
        ("titles/de.json", r"^note/titles/de\.json: title: Field required$"),
    ],
)
def test_refuses_a_folder_of_a_kind_naming_it_and_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, words: str
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    sections = [{"id": "a", "title": "T", "kind": "k", "purpose": "p"}]
    note = add_kind(house(tmp_path), {"kind": "note", "title": "Note", "sections": sections}, "note")
    assert load_catalog(CONFIG)["note"].blueprint.title == "Note"
    (note / "titles").mkdir()
    other = json.dumps({"kind": "memo", "title": "Memo", "sections": sections}) if file == "blueprint.json" else "{}"
    (note / file).write_text(other)
    with pytest.raises(ConfigError, match=words):
        load_catalog(CONFIG)


def test_a_hidden_file_beside_the_titles_of_a_kind_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it does not count for the digest either; editors leave such files."""
    monkeypatch.syspath_prepend(tmp_path)
    proposal = stand_in(house(tmp_path), "proposal")
    before = load_catalog(CONFIG)["proposal"]
    (proposal / "titles" / ".de.json").write_text("{")
    assert load_catalog(CONFIG)["proposal"] == before


@pytest.mark.req("T5")
def test_ships_every_kind_in_every_language_with_the_headings_that_code_writes(catalog: Catalog) -> None:
    assert {name: kind.languages for name, kind in catalog.items()} == {key: list(shipped()) for key in catalog}
    for tag in shipped():
        kind, words = catalog["proposal"].in_language(tag), language(tag).words
        assert kind is not None
        required = {section.id: section.required_headings for section in kind.blueprint.sections}
        assert [required[name] for name in ("research", "solution", "connections", "budget")] == [
            (words.findings,), (words.what_we_propose,), (words.from_need_to_solution,), (words.costs,),
        ], tag  # fmt: skip


@pytest.mark.req("T5")
def test_a_translation_changes_titles_and_headings_and_nothing_else(catalog: Catalog) -> None:
    english = catalog["proposal"]
    german = english.in_language("de")
    assert german is not None
    assert [section.title for section in german.blueprint.sections][:3] == ["Ausgangslage", "Lösung", "Zusammenhänge"]
    assert german.digest != english.digest
    plain = {"title", "required_headings"}
    for one, other in zip(german.blueprint.sections, english.blueprint.sections, strict=True):
        assert one.model_dump(exclude=plain) == other.model_dump(exclude=plain)


@pytest.mark.req("T5")
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"research": None}, r"de/proposal\.json: sections\.research: the title is missing"),
        ({"epilogue": {"title": "E"}}, r"de/proposal\.json: sections\.epilogue: the blueprint has no such section"),
        ({"budget": {"title": ""}}, r"de/proposal\.json: sections\.budget\.title: "),
        ({"budget": {"title": "Budget"}}, r"sections\.budget\.required_headings: there are 0, the blueprint has 1"),
        ({"budget": {"titel": "Budget"}}, r"de/proposal\.json: sections\.budget\.title: Field required"),
    ],
)
def test_refuses_a_translation_that_does_not_fit(config: Path, change: dict[str, object], words: str) -> None:
    file = config / "blueprints" / "de" / "proposal.json"
    data = json.loads(file.read_text())
    data["sections"] = {name: one for name, one in (data["sections"] | change).items() if one is not None}
    file.write_text(json.dumps(data))
    with pytest.raises(ConfigError, match=words):
        load_catalog(config)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ("xx", r"xx: there is no language 'xx'; there are: de, en"),
        ("de-AT", "de-AT: name the folder de"),
        ("de/poem.json", r"de/poem\.json: there is no blueprint poem\.json"),
    ],
)
def test_refuses_the_folder_of_a_language_that_is_not_known_and_a_translation_of_no_blueprint(
    config: Path, made: str, words: str
) -> None:
    place = config / "blueprints" / made
    place.write_text("{}") if place.suffix else place.mkdir()
    with pytest.raises(ConfigError, match=words):
        load_catalog(config)

"""A structured kind of section is a folder of data: it is written by a JSON Schema, and no code knows of it."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from generation_workshop import CONFIG, Workshop
from stemma_contracts.v1.outcomes import SectionGenerated
from stemma_generation_graph.app import load_deps
from stemma_generation_graph.deps import Models
from stemma_generation_graph.graphs.registry import find_graphs
from stemma_generation_graph.graphs.section.rendering import Structure, resolve_schema
from stemma_generation_graph.handlers import on_generate_section
from stemma_generation_graph.settings import GenerationSettings
from stemma_languages import language
from stemma_messaging import BadSettings
from stemma_offline_writer import OfflineWriter
from stemma_testkit.house import add_kind, house

REGISTER: dict[str, Any] = {
    "title": "RiskRegister",
    "type": "object",
    "properties": {
        "summary": {"type": "string", "description": "one to three paragraphs: what could go wrong"},
        "risks": {
            "title": "Risks",
            "titles": {"de": "Risiken"},
            "type": "array",
            "maxItems": 20,
            "items": {"$ref": "#/$defs/Risk"},
        },
        "watched": {"title": "What we watch", "type": "array", "items": {"type": "string"}},
    },
    "required": ["summary"],
    "additionalProperties": False,
    "$defs": {
        "Risk": {
            "type": "object",
            "properties": {
                "name": {"title": "Risk", "titles": {"de": "Risiko"}, "type": "string"},
                "cost": {"title": "Cost", "titles": {"de": "Kosten"}, "type": "number", "minimum": 0},
            },
            "required": ["name"],
        }
    },
}
FILLED = {
    "watched": ["The tide", "The price of steel."],
    "risks": [{"name": "Ice | in May", "cost": 12500.5}, {"name": "No pilot"}],
    "summary": "# Two things\n\ncan go wrong.",
}
CRITERIA = [{"id": "named", "description": "Every risk has a name.", "weight": 1, "threshold": 0.5}]
SCORES = json.dumps({"scores": {"named": 0.9}, "feedback": "Clear."})
PROMPT = "Fill in the risks."


@pytest.fixture
def dossier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a document kind that has a structured kind of section."""
    monkeypatch.syspath_prepend(tmp_path)
    sections = [{"id": "risks", "title": "Risks", "kind": "risk_register", "purpose": "What could go wrong."}]
    folder = add_kind(house(tmp_path), {"kind": "dossier", "title": "Dossier", "sections": sections}, "dossier")
    files = {
        "sections.json": {"risk_register": {"structure": "risk_register"}},
        "structures/risk_register.json": REGISTER,
        "criteria/risk_register.json": CRITERIA,
    }
    for name, data in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(data), encoding="utf-8")
    prompt = folder / "prompts/section/generate/risk_register.md"
    prompt.parent.mkdir(parents=True)
    prompt.write_text(PROMPT, encoding="utf-8")
    return folder


@pytest.mark.req("P12", "P13")
async def test_a_structured_kind_of_section_is_a_folder_and_no_code(dossier: Path, workshop: Workshop) -> None:
    outcome, model = await workshop.run(await workshop.job("risk_register"), [json.dumps(FILLED), SCORES])
    assert await workshop.read(outcome.draft) == (
        "# Risk register\n\n**Two things**:\n\ncan go wrong.\n\n## Risks\n\n"
        "| Risk | Cost |\n| --- | --- |\n| Ice \\| in May | 12,500.50 |\n| No pilot |  |\n\n"
        "## What we watch\n\n- The tide.\n- The price of steel.\n"
    )
    assert outcome.evaluation.scores == {"named": 0.9}
    asked = model.options[0]["response_format"]["json_schema"]
    assert (asked["name"], asked["schema"]["required"]) == ("risk_register", REGISTER["required"])
    assert list(asked["schema"]["properties"]) == list(REGISTER["properties"])
    assert PROMPT in model.prompt_text()


UNFIT = {
    "unknown": (
        '{"risks": [{"cost": -1}], "colour": "red"}',
        ("'summary' is a required", "$.risks[0].cost", "'colour'"),
    ),
    **{
        number[:4]: (f'{{"summary": "S.", "risks": [{{"name": "Ice", "cost": {number}}}]}}', ("number",))
        for number in ("-1e14", "NaN", "9" * 5000)
    },
}


@pytest.mark.req("P13")
@pytest.mark.parametrize(("wrong", "told"), UNFIT.values(), ids=UNFIT)
async def test_an_answer_that_the_structure_does_not_take_is_asked_again_with_what_is_wrong(
    dossier: Path, workshop: Workshop, wrong: str, told: tuple[str, ...]
) -> None:
    outcome, model = await workshop.run(
        await workshop.job("risk_register"), [wrong, json.dumps({"summary": "All is well."}), SCORES]
    )
    assert await workshop.read(outcome.draft) == "# Risk register\n\nAll is well.\n"
    assert all(words in model.prompt_text(1) for words in told)


async def test_the_model_without_a_key_fills_in_a_structure_as_any_other(dossier: Path, workshop: Workshop) -> None:
    files = {"facts.md": "# Risks\n\nThe river freezes in March. The pilot retires in May.\n"}
    job = await workshop.job("risk_register", files=files)
    outcome = await on_generate_section(job, tools=workshop.tools(OfflineWriter()))
    assert isinstance(outcome, SectionGenerated)
    assert "The river freezes in March." in await workshop.read(outcome.draft)


def test_headings_of_a_structure_are_in_the_language_of_the_document() -> None:
    text = Structure("risk_register", resolve_schema(REGISTER)).rendered(FILLED, language("de"))
    assert "## Risiken\n\n| Risiko | Kosten |" in text
    assert "| Ice \\| in May | 12.500,50 |" in text
    assert "## What we watch" in text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", r"^structures/risk_register\.json: Expecting property name"),
        ('{"type": "objekt"}', r"^structures/risk_register\.json: 'objekt' is not valid"),
        ("true", r"^structures/risk_register\.json: it must be an object with properties"),
        (
            json.dumps(REGISTER | {"$defs": {}}),
            r"^structures/risk_register\.json: \$\.risks\[\*\]: #/\$defs/Risk: only what stands",
        ),
        (
            json.dumps(REGISTER).replace("#/$defs/Risk", "https://example.org/risk.json"),
            r"json: \$\.risks\[\*\]: https://example\.org/risk\.json: only what stands in \$defs",
        ),
    ],
)
def test_a_structure_that_is_none_refuses_the_start_by_name(dossier: Path, text: str, words: str) -> None:
    load()
    (dossier / "structures/risk_register.json").write_text(text)
    with pytest.raises(BadSettings, match=words):
        load()


TEXT = {"type": "string"}
CELL = r"its type must be string, number, integer or array"
DEFINITIONS = {
    "Itself": {"$ref": "#/$defs/Itself"},
    "Round": {"type": "object", "properties": {"b": {"$ref": "#/$defs/Round"}}},
    "Text": TEXT,
}


@pytest.mark.req("P13")
@pytest.mark.parametrize(
    ("part", "words"),
    [
        ({"type": "boolean"}, r"\$\.a: its type must be string, number, integer, array or object"),
        (True, r"\$\.a: it has no schema with a type"),
        ({"type": "object", "properties": {"b": {"type": "object", "properties": {"c": TEXT}}}}, rf"\$\.a\.b: {CELL}"),
        ({"type": "object", "properties": {"b": TEXT}, "additionalProperties": True}, r"\$\.a: additionalProperties"),
        ({"type": "object", "properties": {"b": TEXT}, "required": ["c"]}, r"\$\.a: c is required, and not among"),
        ({"type": "array", "items": {"type": "object"}}, r"\$\.a\[\*\]: it must be an object with properties"),
        ({"type": "array", "items": {"type": "array", "items": TEXT}}, r"\$\.a\[\*\]: its type must be string, "),
        ({"anyOf": [TEXT], "type": "string"}, r"\$\.a: anyOf is not taken here"),
        ({"type": "string", "titles": ["x"]}, r"\$\.a: titles must be texts by language"),
        ({"$ref": "#/$defs/Itself"}, r"\$\.a: #/\$defs/Itself: it refers to something else"),
        ({"$ref": "#/$defs/Round"}, rf"\$\.a\.b: {CELL}"),
        ({"$ref": "#/$defs/Text", "minLength": 2}, r"\$\.a: minLength is not taken beside \$ref"),
    ],
)
def test_what_cannot_be_rendered_is_refused_by_its_place(part: Any, words: str) -> None:
    with pytest.raises(ValueError, match=rf"^{words}"):
        resolve_schema({"type": "object", "properties": {"a": part}, "$defs": DEFINITIONS})


def test_a_structure_that_is_not_there_or_in_another_folder_refuses_the_start_by_name(dossier: Path) -> None:
    for folder in ("structures", "criteria"):
        below = dossier / folder / "more/risk_register.json"
        below.parent.mkdir()
        shutil.copy(dossier / folder / "risk_register.json", below)
        with pytest.raises(BadSettings, match=rf"^{folder}/more/risk_register\.json: it must be in {folder} itself$"):
            load()
        shutil.rmtree(below.parent)
    shutil.rmtree(dossier / "structures")
    with pytest.raises(BadSettings, match=r"risk_register\.structure: no structure is called 'risk_register'"):
        load()
    (dossier / "sections.json").write_text('{"risk_register": {"structure": "a", "schema": "Budget"}}')
    with pytest.raises(BadSettings, match=r"^dossier/sections\.json: risk_register: structure: there is a schema"):
        load()


@pytest.mark.req("P13")
def test_objects_are_closed_and_references_written_out_for_the_model() -> None:
    risk = REGISTER["$defs"]["Risk"] | {"additionalProperties": False}
    properties = REGISTER["properties"] | {"risks": REGISTER["properties"]["risks"] | {"items": risk}}
    closed = {"title": "RiskRegister", "type": "object", "required": ["summary"], "additionalProperties": False}
    assert resolve_schema(REGISTER) == closed | {"properties": properties}


@pytest.mark.req("P13")
@pytest.mark.parametrize(
    ("part", "value", "text"),
    [
        ({"type": "integer"}, 0, "## A\n\n0"),
        ({"type": ["number", "null"]}, None, ""),
        ({"type": "array", "items": TEXT}, ["", " "], ""),
        ({"type": "array", "items": TEXT}, ["", "b"], "## A\n\n- b."),
        ({"type": "object", "properties": {"b": {"type": "integer"}}}, {"b": 0}, "## A\n\nb: 0"),
        (
            {"type": "object", "properties": {"b": TEXT | {"title": "Name"}}},
            {"b": "x\n\n# Approved by the board\n\ny\n==="},
            "## A\n\nName: x\n\n**Approved by the board**:\n\n**y**:",
        ),
        (
            {"type": "array", "items": {"type": "object", "properties": {"b": {"type": "array", "items": TEXT}}}},
            [{}, {"b": ["x", "", "y"]}],
            "## A\n\n| b |\n| --- |\n| x, y |",
        ),
    ],
)
def test_a_part_is_told_as_it_is_and_without_content_not_at_all(part: Any, value: Any, text: str) -> None:
    structure = Structure("s", resolve_schema({"type": "object", "properties": {"a": part | {"title": "A"}}}))
    answer = structure.model.model_validate_json(json.dumps({"a": value}))
    assert structure.rendered(answer.root, language("en")) == text


def load() -> None:
    load_deps(GenerationSettings(), Models(default=None), find_graphs(), CONFIG)  # type: ignore[arg-type]

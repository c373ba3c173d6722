import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from generation_workshop import CONFIG
from stemma_artifacts.store import MemoryArtifactStore
from stemma_generation_graph.app import check_nodes, load_deps, main, open_models, service
from stemma_generation_graph.deps import Models
from stemma_generation_graph.graphs.registry import find_graphs
from stemma_generation_graph.settings import AgentLimits, GenerationSettings, NodeModel, RolesSettings
from stemma_messaging import BadSettings
from stemma_models import MemoryRecordStore
from stemma_testkit.house import house, stand_in

MODELS: Any = Models(default=None)  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(CONFIG, tmp_path / "config"))


@pytest.fixture
def proposal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The proposal of a house, in the place of the one that ships."""
    monkeypatch.syspath_prepend(tmp_path)
    return stand_in(house(tmp_path), "proposal")


def load(folder: Path) -> Any:
    return load_deps(GenerationSettings(), MODELS, find_graphs(), folder)


@pytest.mark.req("G5", "G8", "G9", "G11", "G14", "R3", "R6", "R7", "R9")
def test_the_limits_that_ship_are_those_that_are_promised() -> None:
    """As a service reads them, from the file that ships; what the code falls back to is the same."""
    shipped = service.load_settings(nats_url="nats://x", nats_user="u", nats_password="p")
    agent, roles = shipped.agent, shipped.roles
    assert (agent.max_agent_steps, agent.step_limit_s) == (100, 60)
    assert (agent.steps_per_chapter, agent.on_step_bound, agent.on_fix_bound) == (20, "human_input", "checkpoint")
    assert (agent.max_fix_attempts, agent.max_retries, agent.max_checkpoints_per_session) == (3, 3, 50)
    assert (roles.min_roles, roles.max_roles, roles.role_limit_s, roles.graph_limit_s) == (2, 4, 30, 60)
    assert roles.role_retries == 3
    assert (shipped.max_tokens, shipped.call_limit_s, shipped.call_retries) == (8192, None, 4)
    assert (agent, roles) == (AgentLimits(), RolesSettings())


@pytest.mark.req("P12")
def test_every_section_kind_has_its_own_prompt_and_criteria(folder: Path) -> None:
    deps = load(folder)
    own = {*deps.kinds, "default"}
    assert {"research", "budget", "conclusion"} < own
    assert set(deps.prompts.kinds("section", "generate")) == own | {"form"}, "a form's section is of any document"
    assert len({deps.criteria.for_kind(kind).digest for kind in own}) == len(own)
    assert deps.criteria.for_kind("poem") == deps.criteria.for_kind("default")


MISSING = {
    "evaluation/default.json": r"evaluation/default\.json is missing",
    "prompts/section/evaluate/default.md": r"prompt section/evaluate/default\.md is missing",
}
LACKING = {
    "criteria/research.json": r"criteria/research\.json is missing",
    "prompts/section/generate/budget.md": r"prompt section/generate/budget\.md is missing",
}


@pytest.mark.req("P6", "P12")
def test_a_file_that_is_missing_refuses_the_start_by_name(folder: Path, proposal: Path) -> None:
    load(CONFIG)
    for own, files, read in ((folder, MISSING, folder), (proposal, LACKING, CONFIG)):
        for file, words in files.items():
            text = (own / file).read_text()
            (own / file).unlink()
            with pytest.raises(BadSettings, match=words):
                load(read)
            (own / file).write_text(text)


@pytest.mark.req("P6")
def test_criteria_that_make_no_sense_refuse_the_start_by_file_and_field(proposal: Path) -> None:
    file = proposal / "criteria" / "research.json"
    first, *others = json.loads(file.read_text())
    bad: list[tuple[dict[str, Any], str]] = [
        ({"weight": 0}, r"0\.weight: Input should be greater than 0"),
        ({"weight": 0.9}, "weight: all weights must sum to 1, they sum to 1.6"),
        ({"threshold": 2}, r"0\.threshold: Input should be less than or equal to 1"),
        ({"id": "open_questions"}, "id: two criteria have the same id"),
        ({"critcal": True}, r"0\.critcal: Extra inputs are not permitted"),
    ]
    for change, words in bad:
        file.write_text(json.dumps([first | change, *others]))
        with pytest.raises(BadSettings, match=rf"criteria/research\.json: .*{words}"):
            load(CONFIG)


def test_a_kind_that_names_what_does_not_exist_refuses_the_start(folder: Path, proposal: Path) -> None:
    bad: list[tuple[dict[str, Any], str]] = [
        ({"schema": "Poem"}, r"poem\.schema: no schema is called 'Poem'"),
        ({"tools": ["rm"]}, r"poem\.tools: no tool is called 'rm'"),
        ({"tool": []}, r"poem\.tool: Extra inputs"),
    ]
    sections = (proposal / "sections.json").read_text()
    for kind, words in bad:
        (folder / "kinds.json").write_text(json.dumps({"poem": kind}))
        with pytest.raises(BadSettings, match=rf"kinds\.json: {words}"):
            load(folder)
        (proposal / "sections.json").write_text(json.dumps({"poem": kind}))
        with pytest.raises(BadSettings, match=rf"proposal/sections\.json: {words}"):
            load(CONFIG)
        (proposal / "sections.json").write_text(sections)


@pytest.mark.req("P6", "P12")
def test_what_lies_in_the_config_folder_comes_before_what_a_document_kind_brings(folder: Path) -> None:
    before = load(folder)
    (folder / "evaluation/research.json").write_text((folder / "evaluation/default.json").read_text())
    (folder / "prompts/section/generate/research.md").write_text("Look it up.")
    (folder / "kinds.json").write_text('{"research": {}}')
    deps = load(folder)
    assert deps.criteria.for_kind("research") == before.criteria.for_kind("default")
    assert deps.prompts.get("section", "generate", "research").text.endswith("Look it up.")
    assert (before.kinds["research"].schema_name, deps.kinds["research"].schema_name) == ("Research", None)
    assert deps.kinds["solution"] == before.kinds["solution"]


def test_a_section_kind_that_two_document_kinds_have_is_one_or_refuses_the_start(proposal: Path) -> None:
    tender = shutil.copytree(proposal, proposal.parent / "tender")
    load(CONFIG)
    prompt = tender / "prompts/section/generate/budget.md"
    text = prompt.read_text()
    prompt.write_text(f"{text}\nIn rows.")
    with pytest.raises(BadSettings, match=r"^prompts/section/generate/budget\.md: proposal and tender have another"):
        load(CONFIG)
    prompt.write_text(text)
    (tender / "sections.json").write_text('{"budget": {}}')
    with pytest.raises(BadSettings, match=r"^tender/sections\.json: budget: another document kind has another one"):
        load(CONFIG)


@pytest.mark.req("P16")
@pytest.mark.parametrize(
    ("own", "told"),
    [
        ({}, ("openai/local", "http://127.0.0.1:1/v1", 4096)),
        ({"CONTEXT_TOKENS": "2048"}, ("openai/local", "http://127.0.0.1:1/v1", 2048)),
        ({"MODEL": "openai/other"}, ("openai/other", None, None)),
        ({"MODEL": "offline"}, ("offline", None, None)),
    ],
)
def test_one_setting_names_the_model_and_one_of_the_service_comes_before_it(
    monkeypatch: pytest.MonkeyPatch, own: dict[str, str], told: tuple[str, str | None, int | None]
) -> None:
    shared = {"STEMMA_MODEL": "openai/local", "STEMMA_MODEL_API_BASE": "http://127.0.0.1:1/v1"}
    mine = {f"STEMMA_GENERATION_GRAPH_{name}": value for name, value in own.items()}
    for name, value in {**shared, "STEMMA_MODEL_CONTEXT": "4096", **mine}.items():
        monkeypatch.setenv(name, value)
    model = service.load_settings().model_settings()
    assert (model.name, model.api_base, model.context_tokens) == told


@pytest.mark.req("F4", "P16")
async def test_what_is_set_for_a_node_of_one_graph_comes_before_what_is_set_for_all_graphs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    one, every = NodeModel(max_tokens=100, call_retries=0), NodeModel(max_tokens=200, temperature=0.0)
    settings = GenerationSettings(nodes={"section.evaluate": one, "evaluate": every})
    check_nodes(settings, find_graphs())
    models = await open_models(settings, MemoryRecordStore(), MemoryArtifactStore())
    places = [("section", "evaluate"), ("roles", "evaluate"), ("section", "generate")]
    found = [models.for_node(*place).settings for place in places]
    assert [(model.max_tokens, model.temperature) for model in found] == [(100, 0), (200, 0), (8192, None)]
    assert [(model.retries, model.call_limit) for model in found] == [(0, None), (4, None), (4, None)]
    judge = GenerationSettings(nodes={"evaluate": NodeModel(model="openai/judge")}, temperature=0.3)
    chosen = [judge.model_settings(node) for node in ("generate", "evaluate")]
    assert [(model.name, model.temperature) for model in chosen] == [("offline", 0.3), ("openai/judge", 0.0)]
    with pytest.raises(BadSettings, match="openai/judge needs OPENAI_API_KEY in the environment"):
        await open_models(judge, MemoryRecordStore(), MemoryArtifactStore())
    role = GenerationSettings(nodes={"dynamic_agent_executor": NodeModel(call_limit_s=10, call_retries=1)})
    limits = [one.model_settings("dynamic_agent_executor") for one in (role, GenerationSettings())]
    assert [(model.call_limit, model.retries) for model in limits] == [(10, 1), (None, 3)]


@pytest.mark.req("P16")
def test_a_node_that_no_graph_has_is_refused_by_name() -> None:
    for node in ("write", "section.write", "letters.generate", "section.synthesizer"):
        with pytest.raises(BadSettings, match=rf"nodes\.{node}: there is no such node; there are agent, "):
            check_nodes(GenerationSettings(nodes={node: NodeModel(temperature=1.0)}), find_graphs())


BAD_SETUPS = {
    "a misspelled key of a node": (
        {"STEMMA_GENERATION_GRAPH_NODES": '{"evaluate": {"modle": "openai/judge"}}'},
        r"nodes\.evaluate\.modle: Extra inputs are not permitted .*\n",
        2,
    ),
    "a wrong value": ({"STEMMA_CHECKPOINT_DSN": "hidden"}, r"not a connection .* or STEMMA_CHECKPOINT_DSN\)\n", 2),
    "no PostgreSQL": (
        {"STEMMA_CHECKPOINT_DSN": "postgresql://me:hidden@127.0.0.1:1/db"},
        "cannot be reached or written .*STEMMA_CHECKPOINT_DSN.* --setup again\n",
        1,
    ),
    "no folder": ({"STEMMA_DATA_DIR": "/dev/null"}, "cannot be reached or written .*STEMMA_DATA_DIR.* again\n", 1),
}


@pytest.mark.req("P16")
@pytest.mark.parametrize(("environment", "told", "code"), BAD_SETUPS.values(), ids=list(BAD_SETUPS))
def test_a_setup_that_cannot_be_ends_with_one_line_that_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    environment: dict[str, str],
    told: str,
    code: int,
) -> None:
    monkeypatch.setattr("sys.argv", ["stemma-generation-graph", "--setup"])
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr().err
    assert ended.value.code == code
    assert re.fullmatch(f"stemma-generation-graph: .*{told}", said), said
    assert "hidden" not in said


@pytest.mark.req("M2")
@pytest.mark.parametrize(
    ("window", "inputs"), [(None, 48_000), (1_000_000, 160_000), (32_000, 32_250), (8_192, 5_466), (1_024, 2_000)]
)
def test_a_prompt_holds_of_inputs_what_the_model_has_room_for(window: int | None, inputs: int) -> None:
    assert GenerationSettings(model="openai/x").context_limits(window).inputs == inputs
    assert GenerationSettings(model="openai/x", max_input_chars=1500).context_limits(window).inputs == 1500

import json
import shutil
from pathlib import Path

import pytest
from stemma_editor_agent.app import load_config
from stemma_editor_agent.editors import GRAPH, NODE, Editors
from stemma_messaging import BadSettings, config_dir
from stemma_testkit.house import add_kind, house, stand_in

SHIPPED = config_dir("stemma_editor_agent")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return shutil.copytree(SHIPPED, tmp_path / "config")


@pytest.mark.req("P11")
def test_the_kind_of_a_section_chooses_its_editor() -> None:
    editors, prompts = load_config(SHIPPED)
    assert (editors.for_kind("research"), editors.for_kind("budget")) == ("research", "section")
    assert prompts.get(GRAPH, NODE, "research").digest != prompts.get(GRAPH, NODE, "section").digest


@pytest.mark.req("P11", "P12")
def test_a_new_editor_is_a_line_and_a_prompt(folder: Path) -> None:
    (folder / "editors.json").write_text(json.dumps({"default": "section", "kinds": {"budget": "figures"}}))
    with pytest.raises(BadSettings, match=r"editor/revise/figures\.md"):
        load_config(folder)
    (folder / "prompts" / GRAPH / NODE / "figures.md").write_text("Keep the sums right.\n")
    editors, prompts = load_config(folder)
    assert editors == Editors(default="section", kinds={"budget": "figures", "research": "research"})
    assert "Keep the sums right." in prompts.get(GRAPH, NODE, "figures").text


@pytest.mark.req("P12")
@pytest.mark.parametrize("text", [None, " \n", "{{password}}"])
def test_a_missing_or_malformed_prompt_refuses_start_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    prompt = stand_in(house(tmp_path), "proposal") / "prompts" / GRAPH / NODE / "research.md"
    prompt.unlink() if text is None else prompt.write_text(text)
    with pytest.raises(BadSettings, match=r"editor/revise/research\.md"):
        load_config(SHIPPED)


@pytest.mark.req("P11", "P12")
def test_an_editor_of_a_document_kind_is_a_word_and_a_prompt_in_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    memo = add_kind(house(tmp_path), {}, "memo")
    (memo / "sections.json").write_text('{"figures": {"editor": "sums", "tools": ["another"]}}')
    prompt = memo / "prompts" / GRAPH / NODE / "sums.md"
    prompt.parent.mkdir(parents=True)
    prompt.write_text("Keep the sums right.\n")
    editors, prompts = load_config(SHIPPED)
    assert (editors.for_kind("figures"), editors.for_kind("research")) == ("sums", "research")
    assert "Keep the sums right." in prompts.get(GRAPH, NODE, "sums").text
    (memo / "sections.json").write_text('{"figures": {"editor": "../x"}}')
    with pytest.raises(BadSettings, match=r"^memo/sections\.json: figures\.editor: "):
        load_config(SHIPPED)


@pytest.mark.req("P11")
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, r"^editors\.json is missing$"),
        ("{", r"^editors\.json: Invalid JSON"),
        ("{}", r"^editors\.json: default: Field required"),
        ('{"default": "../x"}', r"^editors\.json: default: "),
        ('{"default": "section", "kind": {}}', r"^editors\.json: kind: Extra inputs"),
    ],
)
def test_a_missing_or_malformed_table_of_editors_refuses_start_by_name(
    folder: Path, text: str | None, problem: str
) -> None:
    table = folder / "editors.json"
    table.unlink() if text is None else table.write_text(text)
    with pytest.raises(BadSettings, match=problem):
        load_config(folder)

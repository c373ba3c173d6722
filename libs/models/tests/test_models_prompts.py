from pathlib import Path

import pytest
from stemma_models import PromptError, PromptKey, load_prompts

pytestmark = pytest.mark.req("P12")


def write(folder: Path, path: str, data: str | bytes = "Write {{title}}.") -> None:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data if isinstance(data, bytes) else data.encode())


def test_a_kind_gets_its_own_prompt_after_what_is_common_to_the_node(tmp_path: Path) -> None:
    write(tmp_path, "section/generate/common.md", "You write.\n")
    write(tmp_path, "section/generate/budget.md", "A budget for {{title}}.")
    prompt = load_prompts(tmp_path, [PromptKey("section", "generate", "budget")], ["title"]).get(
        "section", "generate", "budget"
    )
    assert prompt.render({"title": "{{title}}"}) == "You write.\n\nA budget for {{title}}."


def test_a_kind_without_a_prompt_gets_the_default_of_its_node(tmp_path: Path) -> None:
    write(tmp_path, "section/generate/default.md")
    prompts = load_prompts(tmp_path, [], ["title"])
    assert prompts.get("section", "generate", "poem") == prompts.get("section", "generate")
    assert prompts.kinds("section", "generate") == ("default",)


def test_a_value_is_one_line_that_opens_no_block(tmp_path: Path) -> None:
    write(tmp_path, "section/generate/default.md")
    prompt = load_prompts(tmp_path, [], ["title"]).get("section", "generate")
    assert prompt.render({"title": "A\n<guidance>b</guidance>"}) == "Write A ‹guidance>b‹/guidance>."


def test_the_digest_tells_when_a_prompt_changed(tmp_path: Path) -> None:
    write(tmp_path, "section/generate/default.md", "one")
    before = load_prompts(tmp_path, []).get("section", "generate").digest
    write(tmp_path, "section/generate/common.md", "two")
    assert load_prompts(tmp_path, []).get("section", "generate").digest != before


def test_refuses_a_missing_prompt_by_name(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match=r"prompt section/evaluate/default\.md is missing"):
        load_prompts(tmp_path, [PromptKey("section", "evaluate")])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (" \n", "is empty"),
        (b"\xff\xfe", "is not UTF-8"),
        ("Write {{titel}}.", "has unknown placeholders: titel"),
        ("Write {{title.", "has a placeholder that is not closed"),
    ],
)
def test_refuses_a_malformed_prompt_by_name(tmp_path: Path, data: str | bytes, reason: str) -> None:
    write(tmp_path, "section/generate/default.md", data)
    with pytest.raises(PromptError, match=rf"prompt section/generate/default\.md {reason}"):
        load_prompts(tmp_path, [], ["title"])


def test_refuses_a_prompt_outside_of_graph_and_node(tmp_path: Path) -> None:
    write(tmp_path, "stray.md")
    with pytest.raises(PromptError, match=r"prompt stray\.md must lie at"):
        load_prompts(tmp_path, [])

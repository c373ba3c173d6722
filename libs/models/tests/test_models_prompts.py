from pathlib import Path

import pytest
from stemma_models import PromptError, PromptKey, load_prompts

pytestmark = pytest.mark.req("P12")


def write(folder: Path, path: str, data: str | bytes = "Write {{title}}.") -> None:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data if isinstance(data, bytes) else data.encode())


def test_a_kind_gets_its_own_prompt_after_what_is_common_to_the_node_or_the_default(tmp_path: Path) -> None:
    write(tmp_path, "section/generate/default.md")
    write(tmp_path, "section/generate/budget.md", "A budget for {{title}}.")
    before = load_prompts(tmp_path, [], ["title"]).get("section", "generate").digest
    write(tmp_path, "section/generate/common.md", "You write.\n")
    prompts = load_prompts(tmp_path, [PromptKey("section", "generate", "budget")], ["title"])
    own, usual = prompts.get("section", "generate", "budget"), prompts.get("section", "generate", "poem")
    assert own.render({"title": "{{title}}"}) == "You write.\n\nA budget for {{title}}."
    assert usual.render_task({"title": "A\n<guidance>b</guidance>"}) == "Write A ‹guidance>b‹/guidance>."
    assert usual.digest != before
    assert prompts.kinds("section", "generate") == ("budget", "default")


def test_refuses_a_prompt_that_is_missing_or_outside_of_graph_and_node_by_name(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match=r"prompt section/evaluate/default\.md is missing"):
        load_prompts(tmp_path, [PromptKey("section", "evaluate")])
    write(tmp_path, "stray.md")
    with pytest.raises(PromptError, match=r"prompt stray\.md must lie at"):
        load_prompts(tmp_path, [])


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

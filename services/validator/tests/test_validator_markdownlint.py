import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from stemma_confinement import Limits
from stemma_validator.engines import MarkdownlintEngine
from stemma_validator.engines.base import normalise
from stemma_validator.engines.markdownlint import Installation, packaged_node, packages_folder
from stemma_validator.errors import EngineCrashed, EngineNotFound, OutputUnreadable, ValidationTimeout

from .conftest import CONFIG, LIMITS

RULES = (CONFIG / "markdownlint.json").read_text(encoding="utf-8")
SHRINKWRAP = Path(__file__).parents[1] / "markdownlint" / "npm-shrinkwrap.json"
Build = Callable[..., MarkdownlintEngine]


@pytest.fixture
def script(tmp_path: Path) -> Build:
    """An engine whose Node is a shell script."""

    def build(body: str) -> MarkdownlintEngine:
        node = tmp_path / "node"
        node.write_text(f"#!/bin/sh\n{body}\n")
        node.chmod(0o755)
        installation = Installation(node, packages_folder())
        return MarkdownlintEngine(RULES, installation=installation, limits=LIMITS, processes=1)

    return build


@pytest.mark.req("V1", "V3")
async def test_its_issues_have_the_shape_that_every_engine_gives(markdownlint: MarkdownlintEngine) -> None:
    found = [normalise(issue) for issue in await markdownlint.lint("# Title\n\nText <b>bold</b>.\n\n### Deep\n")]
    assert [(issue.line_number, issue.rule, issue.error_detail) for issue in found] == [
        (3, "MD033", "Element: b"), (5, "MD001", "Expected: h2; Actual: h3"),
    ]  # fmt: skip
    assert [issue.rule_description for issue in found] == [
        "Inline HTML", "Heading levels should only increment by one level at a time",
    ]  # fmt: skip
    assert (markdownlint.name, markdownlint.version) == ("markdownlint", "0.50.0")


@pytest.mark.req("V1", "V2")
async def test_a_clean_draft_has_no_issue_and_cannot_be_made_one_by_a_comment(markdownlint: MarkdownlintEngine) -> None:
    assert await markdownlint.lint("# Title\n\nText.\n") == []
    switched_off = await markdownlint.lint("# Title\n\n<!-- markdownlint-disable -->\n\n<b>text</b>\n")
    assert [issue.rule_names[0] for issue in switched_off] == ["MD033"]


@pytest.mark.req("V2")
@pytest.mark.parametrize("missing", ["node", "packages"])
async def test_a_missing_engine_is_told_by_name(tmp_path: Path, missing: str) -> None:
    node = tmp_path / "node" if missing == "node" else packaged_node()
    folder = tmp_path if missing == "packages" else packages_folder()
    installation = Installation(node, folder)
    engine = MarkdownlintEngine(RULES, installation=installation, limits=LIMITS, processes=1)
    with pytest.raises(EngineNotFound, match=r"^markdownlint not found$"):
        await engine.lint("# A\n")
    assert engine.version == ("0.50.0" if missing == "node" else "not installed")


@pytest.mark.req("V2")
@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        (
            "echo 'TypeError: x is undefined' >&2; exit 4",
            EngineCrashed,
            "crashed (status 4): TypeError: x is undefined",
        ),
        ("kill -9 $$", EngineCrashed, "crashed (status -9)"),
        ("printf 'bad file\\n[]\\n' >&2; exit 1", OutputUnreadable, "output unreadable: bad file"),
        ("exit 1", OutputUnreadable, "output unreadable"),
        ("echo 'Usage: markdownlint'", OutputUnreadable, "output unreadable"),
    ],
    ids=["a rule crashes", "killed", "words before the JSON", "no output", "help instead"],
)
async def test_a_failure_is_told_with_the_first_line_of_stderr(
    script: Build, body: str, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind) as failure:
        await script(body).lint("# A\n")
    assert str(failure.value) == f"markdownlint {words}"


@pytest.mark.req("V2")
async def test_a_text_that_takes_too_long_ends_at_the_time_limit() -> None:
    installation = Installation(packaged_node(), packages_folder())
    engine = MarkdownlintEngine(RULES, installation=installation, limits=Limits(seconds=1), processes=1)
    with pytest.raises(ValidationTimeout):
        await asyncio.wait_for(engine.lint("# A\n\n" + "![" * 200_000), 60)


@pytest.mark.req("V3")
def test_what_is_installed_is_what_is_pinned() -> None:
    pinned = json.loads(SHRINKWRAP.read_text(encoding="utf-8"))
    assert pinned["packages"]["node_modules/markdownlint-cli"]["version"] == "0.50.0"
    assert all("integrity" in entry for path, entry in pinned["packages"].items() if path)
    assert "resolved" not in SHRINKWRAP.read_text(encoding="utf-8")

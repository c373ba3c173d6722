"""Both engines are held to one corpus: where they agree, and where one of them stands alone, is written down."""

import json
import shutil
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from stemma_confinement import Limits
from stemma_validator.engines import MarkdownlintEngine, RumdlEngine
from stemma_validator.engines.base import read_issues
from stemma_validator.engines.rumdl import packaged_rumdl

from .conftest import CONFIG, RULES

HERE = Path(__file__).parent
CORPUS = sorted((HERE / "corpus").glob("*.md"))
AGREEMENT = tomllib.loads((HERE / "agreement.toml").read_text(encoding="utf-8"))
Places = dict[str, set[str]]


async def places_of_rumdl() -> Places:
    found: Places = defaultdict(set)
    engine = RumdlEngine(RULES, executable=packaged_rumdl(), limits=Limits(), processes=1)
    for file in CORPUS:
        for issue in await engine.lint(file.read_bytes().decode()):
            found[issue.rule_names[0]].add(f"{file.name}:{issue.line_number}")
    return found


async def places_of_markdownlint(engine: MarkdownlintEngine, folder: Path) -> Places:
    """One process over all files: a process for each takes longer than all else here."""
    found: Places = defaultdict(set)
    for file in CORPUS:
        shutil.copy(file, folder)
    finished = await engine.run(folder, *(file.name for file in CORPUS))
    written = json.loads(finished.stderr)
    for raw, issue in zip(written, read_issues(finished.stderr), strict=True):
        found[issue.rule_names[0]].add(f"{raw['fileName']}:{issue.line_number}")
    return found


def compared(rumdl: Places, markdownlint: Places) -> dict[str, dict[str, Any]]:
    table: dict[str, dict[str, Any]] = {}
    for rule in sorted({*rumdl, *markdownlint}):
        one, other = rumdl.get(rule, set()), markdownlint.get(rule, set())
        alone = {"rumdl": sorted(one - other), "markdownlint": sorted(other - one)}
        table[rule] = {"both": len(one & other)} | {name: places for name, places in alone.items() if places}
    return table


@pytest.mark.req("V3")
async def test_the_engines_agree_and_differ_as_the_table_says(markdownlint: MarkdownlintEngine, tmp_path: Path) -> None:
    table = compared(await places_of_rumdl(), await places_of_markdownlint(markdownlint, tmp_path))
    assert table == {rule: {k: v for k, v in row.items() if k != "why"} for rule, row in AGREEMENT.items()}


@pytest.mark.req("V3")
def test_every_difference_has_a_reason_and_agreement_has_none() -> None:
    differing = {rule for rule, row in AGREEMENT.items() if row.keys() & {"rumdl", "markdownlint"}}
    assert {rule for rule, row in AGREEMENT.items() if row.get("why")} == differing


@pytest.mark.req("V1", "V3")
def test_the_corpus_has_every_rule_that_is_on_in_either_configuration() -> None:
    enabled = set(tomllib.loads(RULES)["global"]["enable"])
    options = json.loads((CONFIG / "markdownlint.json").read_text(encoding="utf-8"))
    assert options.pop("default") is True
    assert not enabled & {rule for rule, value in options.items() if value is False}
    assert set(AGREEMENT) == enabled
    assert all(row["both"] > 0 for row in AGREEMENT.values())

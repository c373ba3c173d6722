from collections.abc import Callable
from pathlib import Path

import pytest
from stemma_confinement import Limits
from stemma_validator.engines import RumdlEngine
from stemma_validator.engines.base import without_switches
from stemma_validator.errors import EngineCrashed

CLEAN = """# Title

One paragraph with `code`, *emphasis* and **strong** words, a [map](https://example.org) and a note[^1].

## List

- one
- two
  - three

1. first
2. second

| a | b |
| --- | --- |
| 1 | 2 |

```text
code that is a very long line that goes on and on, well beyond the eighty characters that some would allow it to have
```

> Image not supplied: media/plan.png

![The plan](media/plan.png)

[^1]: The note.
"""


async def rules(engine: RumdlEngine, text: str) -> list[str]:
    return [issue.rule_names[0] for issue in await engine.lint(text)]


@pytest.mark.req("V1")
async def test_a_clean_draft_has_no_issue(rumdl: RumdlEngine) -> None:
    assert await rumdl.lint(CLEAN) == []


@pytest.mark.req("V1", "V3")
async def test_an_issue_has_line_rule_description_and_detail(rumdl: RumdlEngine) -> None:
    issue = (await rumdl.lint("# Title\n\nText <b>bold</b>.\n"))[0]
    assert (issue.line_number, issue.rule_names) == (3, ("MD033",))
    assert issue.description == "Inline HTML is not allowed"
    assert issue.error_detail == "Inline HTML found: <b>"


@pytest.mark.req("V1")
@pytest.mark.parametrize(
    "switch",
    [
        "<!-- markdownlint-disable -->",
        "<!--\nmarkdownlint-disable-file -->",
        "<!-- rumdl-disable MD033 -->",
        '<!-- rumdl-configure-file {"MD033": false} -->',
        "<!-- markdownlint-configure-file { 'MD033': false } -->",
        "<!-- prettier-ignore -->",
        "<!-- markdownlint-disable-next-line -->",
    ],
)
async def test_a_draft_cannot_switch_the_linter_off(rumdl: RumdlEngine, switch: str) -> None:
    assert "MD033" in await rules(rumdl, f"# A\n\n{switch}\n<b>text</b>\n")


async def test_rules_come_from_our_configuration_only(
    rumdl: RumdlEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".rumdl.toml").write_text('[global]\ndisable = ["MD033"]\n')
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert "MD033" in await rules(rumdl, "# A\n\n<b>text</b>\n")


@pytest.mark.req("V2")
async def test_an_engine_that_takes_too_much_memory_ends(script: Callable[..., RumdlEngine]) -> None:
    engine = script('i=x; while :; do i="$i$i"; done', limits=Limits(memory_mb=64))
    with pytest.raises(EngineCrashed, match="rumdl crashed"):
        await engine.lint("# A\n")


@pytest.mark.req("V1")
def test_taking_switches_out_moves_no_character() -> None:
    text = "<!-- markdownlint-disable --> markdownlint-cli <!--RUMDL-enable-->"
    assert without_switches(text) == "<!-- markdownlint.disable --> markdownlint-cli <!--RUMDL.enable-->"

"""What `show` and `watch` tell of the inputs that a section does not hold."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from stemma_contracts.v1 import events, requests
from stemma_contracts.v1.coverage import CoverageSummary, ForeignInput, UncoveredChapter
from stemma_contracts.v1.inputs import UsedInput
from stemma_contracts.v1.references import InputFile
from stemma_markdown import parts

Covered = Callable[[CoverageSummary], Awaitable[str]]


@pytest.fixture
def covered(backstage: Any, document_id: str, requested: Any, drafted: Any, reviewable: Any) -> Covered:
    """A document with a section that waits for a person, and has this coverage."""

    async def made(coverage: CoverageSummary) -> str:
        waits = reviewable("research")
        validation = waits.validation.model_copy(update={"coverage": coverage})
        draft = drafted("research", await backstage.text(document_id, "# Research\n"))
        await backstage.append(document_id, requested, draft, waits.model_copy(update={"validation": validation}))
        await backstage.list_research(document_id)
        return document_id

    return made


CHAPTER = UncoveredChapter(file="tender.md", chapter="Price", line=9, blocks=2, why="facts")
FOREIGN = (
    ForeignInput(file="tender.md", language="en", blocks=4),
    ForeignInput(file="plan.md", language="ja", blocks=1),
)


@pytest.mark.req("T1", "T2", "T7")
@pytest.mark.parametrize(
    ("coverage", "words", "in_short"),
    [
        (
            CoverageSummary(total=9, covered=6, left_out=1, missing_blocks=2, missing=(CHAPTER,), more=3),
            (
                "coverage: 6 of 9 blocks of the inputs are covered; 2 missing, 1 left out",
                "not covered: tender.md, Price, line 9: amounts, dates or names are missing (2 blocks)",
                "not covered: 3 more chapters; the export names them",
            ),
            "2 of 9 blocks of the inputs not covered",
        ),
        (
            CoverageSummary(total=9, covered=4, not_comparable=5, language="de", foreign=FOREIGN),
            (
                "coverage: 4 of 9 blocks of the inputs are covered; 5 not comparable",
                "tender.md: 4 blocks in English not comparable with the text, which is in German",
                "plan.md: 1 block in Japanese not comparable with the text, which is in German",
            ),
            "5 blocks in English and Japanese not comparable with the text, which is in German",
        ),
    ],
    ids=["missing", "foreign"],
)
async def test_what_lacks_or_cannot_be_compared_is_named_beside_the_text_and_in_one_line_elsewhere(
    cli: Any, covered: Covered, coverage: CoverageSummary, words: tuple[str, ...], in_short: str
) -> None:
    document_id = await covered(coverage)
    document, section = await cli("show", document_id), await cli("show", document_id, "research")
    assert section.stdout == "# Research\n"
    assert [one for one in words if one not in document.stdout or one not in section.stderr] == []
    [row] = [line for line in (await cli("inbox")).stdout.splitlines() if document_id in line]
    watched = await cli("watch", document_id)
    assert [in_short in told for told in (row, watched.stdout + watched.stderr)] == [True, True]


@pytest.mark.req("T1", "T7")
async def test_show_tells_where_nobody_could_find_out_what_is_covered(
    cli: Any, backstage: Any, document_id: str, requested: Any, drafted: Any, reviewable: Any
) -> None:
    research, *others = requested.sections
    covering = research.model_copy(update={"covers_inputs": True})
    asked = requested.model_copy(update={"sections": (covering, *others)})
    words = "research: coverage: nobody could find out what of the inputs it covers"
    await backstage.append(document_id, asked, drafted("research"))
    assert words not in (await cli("show", document_id)).stdout, "it is being checked"
    await backstage.append(document_id, reviewable("research"))
    assert words in (await cli("show", document_id)).stdout


EVIDENCE = """# Our company

We build bridges of steel since 1990.

## References

The bridge of Norden, 2019, for the Board of Norden.

## Certificates

We hold ISO 9001 since the year 2005.
"""


@pytest.mark.req("T1")
@pytest.mark.parametrize(
    ("words", "names"),
    [("steel", ["References", "Certificates"]), (None, ["Our company", "References", "Certificates"])],
)
async def test_evidence_that_no_section_uses_is_told_with_its_place_when_shown_and_exported(
    cli: Any,
    backstage: Any,
    document_id: str,
    requested: Any,
    drafted: Any,
    reviewable: Any,
    tmp_path: Path,
    words: str | None,
    names: list[str],
) -> None:
    text = await backstage.text(document_id, EVIDENCE)
    files = tuple(InputFile(name=f"{role}.md", artifact=text, role=role) for role in ("evidence", "style"))
    waits = reviewable("research")
    taken = tuple(part.fingerprint for part in parts(EVIDENCE) if words and words in part.text)
    used = (UsedInput(input_id="input-1", parts=taken),) if taken else ()
    await backstage.append(
        document_id,
        requested.model_copy(update={"inputs": files, "sections": requested.sections[:1]}),
        drafted("research", await backstage.text(document_id, "# Research\n")),
        waits.model_copy(update={"validation": waits.validation.model_copy(update={"used": used})}),
    )

    async def convert(request: requests.ExportDocument) -> None:
        asked = events.ExportRequested(export_id="x1", format=request.format)
        done = events.DocumentExported(export_id="x1", format=request.format, job_id="j", artifact=text)
        await backstage.append(document_id, asked, done)

    backstage.on_request = convert
    for told in (await cli("show", document_id), await cli("export", document_id, "-o", str(tmp_path / "a.docx"))):
        lines = [line for line in told.stderr.splitlines() if "no section uses" in line]
        assert lines == [f"no section uses evidence.md: “{name}”" for name in names]

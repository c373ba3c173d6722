from pathlib import Path
from typing import Any

import pytest
from stemma_contracts.v1 import events, requests
from stemma_contracts.v1.coverage import NotCovered
from stemma_contracts.v1.exports import ExportFormat, ExportRemark, ExportWarning
from stemma_contracts.v1.provenance import Provenance


@pytest.fixture
async def in_review(backstage: Any, document_id: str, requested: Any, drafted: Any, reviewable: Any) -> str:
    await backstage.append(document_id, requested, drafted("research", version=3), reviewable("research", 3))
    return document_id


@pytest.mark.parametrize(("verb", "more"), [("approve", ()), ("revise", ("-m", "A.")), ("regenerate", ())], ids=str)
async def test_a_script_has_to_name_the_version_that_was_read(
    cli: Any, backstage: Any, in_review: str, verb: str, more: tuple[str, ...]
) -> None:
    done = await cli(verb, in_review, "research", *more)

    assert done.exit_code == 2
    assert "version 3 is current" in done.stderr
    assert "then say --version 3" in done.stderr
    assert backstage.received == []


async def test_at_a_terminal_a_revised_text_is_shown_as_what_changed(
    on_a_terminal: Any, backstage: Any, document_id: str, requested: Any, drafted: Any, reviewable: Any
) -> None:
    first, second, summary = [
        await backstage.text(document_id, text) for text in ("It lends bicycles.", "It lends trailers.", "One word.")
    ]
    revised = events.SectionRevised(
        section_id="research",
        job_id="j",
        version=2,
        draft=second,
        summary=summary,
        provenance=Provenance(model="offline"),
    )
    history = (drafted("research", first), reviewable("research"), revised, reviewable("research", 2))
    await backstage.append(document_id, requested, *history)

    seen, _ = await on_a_terminal("revise", document_id, "research", "-m", "Longer.", typed="y\n")

    assert "version 1 -> 2: One word." in seen
    assert "[-bicycles-]" in seen
    assert "{+trailers+}" in seen
    assert [r.version for _, r in backstage.received] == [2]


async def test_approve_all_approves_what_waits_and_nothing_else(cli: Any, backstage: Any, in_review: str) -> None:
    done = await cli("approve", in_review, "--all")

    assert done.stdout == "approved research version 3\n"
    assert "research version 3: Research" in done.stderr
    assert [type(r) for _, r in backstage.received] == [requests.ApproveSection]


@pytest.mark.parametrize("options", [(), ("research", "--all"), ("--all", "--version", "2")], ids=str)
async def test_approve_takes_one_section_or_all_in_the_versions_that_it_shows(
    cli: Any, backstage: Any, in_review: str, options: tuple[str, ...]
) -> None:
    done = await cli("approve", in_review, *options)

    assert done.exit_code == 2
    assert backstage.received == []


@pytest.mark.parametrize(("answer", "sent"), [("y", [3]), ("n", [])])
async def test_at_a_terminal_approve_all_asks_about_the_versions_that_it_shows(
    on_a_terminal: Any, backstage: Any, in_review: str, answer: str, sent: list[int]
) -> None:
    seen, _ = await on_a_terminal("approve", in_review, "--all", typed=f"{answer}\n")

    assert seen.index("research version 3") < seen.index("Approve these?")
    assert [request.version for _, request in backstage.received] == sent


def lacks(**told: Any) -> dict[str, Any]:
    return {"not_covered": (NotCovered(section_id="research", **told),)}


@pytest.fixture
def converter(backstage: Any, document_id: str) -> Any:
    def answer_with(**told: Any) -> None:
        async def convert(request: requests.ExportDocument) -> None:
            artifact = await backstage.text(document_id, "the document")
            common: dict[str, Any] = {"export_id": "x1", "format": request.format}
            done = events.DocumentExported(**common, job_id="j", artifact=artifact, **told)
            await backstage.append(document_id, events.ExportRequested(**common), done)

        backstage.on_request = convert

    return answer_with


@pytest.mark.req("W5")
async def test_export_writes_the_file_whole_prints_its_path_and_tells_what_it_lacks(
    cli: Any, backstage: Any, converter: Any, document_id: str, tmp_path: Path
) -> None:
    remarks = (ExportRemark(code="missing_font", detail="Thai: กข"), ExportRemark(code="from_tomorrow"))
    missing = ExportWarning(code="missing_image", section_id="research", count=2)
    converter(warnings=(missing,), remarks=remarks)

    done = await cli("export", document_id, "-o", str(tmp_path / "out.pdf"))

    assert (done.exit_code, done.stdout) == (0, f"{tmp_path}/out.pdf\n")
    for words in ("research: missing image (2 times)", "missing font: Thai: กข", "from tomorrow"):
        assert f"warning: {words}\n" in done.stderr
    assert backstage.received[-1][1].format is ExportFormat.PDF
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("out.pdf", "the document")]


@pytest.mark.req("T1", "B2")
@pytest.mark.parametrize(
    ("told", "code", "words"),
    [
        ({"warnings": (ExportWarning(code="not_approved", section_id="research"),)}, 5, "research: not approved"),
        ({"remarks": (ExportRemark(code="open_heading", section_id="research"),)}, 5, "research: open heading"),
        (lacks(missing_blocks=2), 5, "research: blocks of the inputs that are missing: 2; a page says which"),
        (lacks(checked=False), 5, "research: nobody knows what of the inputs it covers; `stemma show` says why"),
        (lacks(not_comparable=3), 0, "research: 3 blocks in another language not comparable with the text"),
        (
            lacks(not_comparable=3, language="en", languages=("de", "ja")),
            0,
            "research: 3 blocks in German and Japanese not comparable with the text, which is in English; a page",
        ),
    ],
    ids=str,
)
async def test_an_export_that_is_unfinished_or_lacks_something_is_written_and_ends_with_5(
    cli: Any, converter: Any, document_id: str, tmp_path: Path, told: dict[str, Any], code: int, words: str
) -> None:
    converter(**told)
    done = await cli("export", document_id, "-f", "md", "-o", str(tmp_path))
    assert (done.exit_code, words in done.stderr) == (code, True), done.stderr
    assert (tmp_path / f"{document_id}.md").read_text() == "the document"


async def test_an_export_that_fails_says_why_and_one_into_no_folder_asks_for_nothing(
    cli: Any, backstage: Any, document_id: str, tmp_path: Path
) -> None:
    async def fail(request: requests.ExportDocument) -> None:
        failed = events.ExportFailed(export_id="x1", format=request.format, job_id="j", detail="time limit")
        await backstage.append(document_id, failed)

    backstage.on_request = fail
    nowhere = await cli("export", document_id, "-o", str(tmp_path / "absent" / "out.docx"))
    assert (nowhere.exit_code, backstage.received) == (2, [])
    done = await cli("export", document_id, "-o", str(tmp_path / "out.docx"))
    assert (done.exit_code, "the export failed: time limit" in done.stderr) == (1, True)
    assert list(tmp_path.iterdir()) == []

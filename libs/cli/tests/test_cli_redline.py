from typing import Any

import pytest
from stemma_contracts.v1 import events, requests
from stemma_contracts.v1.exports import ExportFormat, VersionPair
from stemma_contracts.v1.provenance import Origin


@pytest.fixture
async def sent(backstage: Any, document_id: str, requested: Any, drafted: Any) -> Any:
    """Research was exported as export-4 in version 1 and as export-6 in version 2; then a solution came."""
    draft = await backstage.text(document_id, "text")
    edited = events.SectionEdited(section_id="research", version=2, draft=draft, origin=Origin.WRITTEN)
    await backstage.append(
        document_id,
        requested,
        drafted("research", draft),
        events.ExportRequested(export_id="export-4", format=ExportFormat.PDF),
        edited,
        events.ExportRequested(export_id="export-6", format=ExportFormat.DOCX),
        drafted("solution", draft),
    )

    async def convert(request: requests.ExportDocument) -> None:
        done = events.DocumentExported(export_id="x1", format=request.format, job_id="j", artifact=draft)
        await backstage.append(document_id, events.ExportRequested(export_id="x1", format=request.format), done)

    backstage.on_request = convert
    return backstage


def pairs(**versions: tuple[int, int]) -> tuple[VersionPair, ...]:
    return tuple(
        VersionPair(section_id=name, from_version=old, to_version=new) for name, (old, new) in versions.items()
    )


async def test_compares_two_exports_or_one_with_the_document_as_it_is_or_versions_of_one_section(
    cli: Any, sent: Any, document_id: str, tmp_path: Any
) -> None:
    for arguments, expected in (
        (("--redline", "export-4", "export-6"), pairs(research=(1, 2), solution=(0, 0))),
        (("--redline", "export-4", "now"), pairs(research=(1, 2), solution=(0, 1))),
        (("--section", "research", "--redline", "2", "1"), pairs(research=(2, 1))),
    ):
        done = await cli("export", document_id, *arguments, "-o", str(tmp_path))
        assert (done.exit_code, done.stdout) == (0, f"{tmp_path}/{document_id}-changes.docx\n")
        assert "exported as x1" in done.stderr
        request = sent.received[-1][1]
        assert (request.redline, request.format) == (expected, ExportFormat.DOCX)


async def test_a_comparison_of_nothing_is_refused_before_anything_is_sent_with_what_there_is(
    cli: Any, sent: Any, document_id: str
) -> None:
    for words, *arguments in (
        ("the document has no export export-5", "--redline", "export-5", "now"),
        ("research has no version 3", "--section", "research", "--redline", "1", "3"),
        ("research has no version ²", "--section", "research", "--redline", "1", "²"),
        ("the document has no section 'budget'", "--section", "budget", "--redline", "1", "2"),
        ("--section goes with --redline", "--section", "research"),
        ("a redline is a docx, not a pdf", "--redline", "export-4", "now", "-f", "pdf"),
    ):
        done = await cli("export", document_id, *arguments)
        assert (done.exit_code, words in done.stderr) == (2, True), done.stderr
    done = await cli("export", document_id, "--redline", "now", "export-9")
    assert all(name in done.stderr for name in ("export-4 (2026-03-01", "export-6 (2026-03-01", "now"))
    assert sent.received == []

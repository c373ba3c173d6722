"""What to know of a draft, in lines for people."""

from collections.abc import Iterator, Sequence

from stemma_client.client import Client
from stemma_client.findings import NOT_JUDGED, Finding, findings_in, findings_of
from stemma_contracts.v1.views import DocumentView, SectionView

from stemma_cli.output import clean_line
from stemma_cli.wording import conflict_lines, coverage_lines, rule_words, validation_words

_AT_MOST = 8


def words_of(finding: Finding) -> str:
    where = f"line {finding.line} " if finding.line else ""
    name, message = finding.name, finding.message
    match finding.kind:
        case "critical":
            return f"critical criterion {name} failed: {_scored(finding.score)}"
        case "judgement":
            about = "none" if name == NOT_JUDGED else f"{name} {_scored(finding.score)}".strip()
            return f"judgement: {about}, {message}"
        case "check":
            return f"check failed: {name}{f' ({message})' if message else ''}"
        case "lint":
            return f"{where}{name}: {message}"
        case "grounding":
            return f"{where}unsupported {rule_words(name)}: {message}"
        case "warning":
            return f"warning: {name} {finding.count}{f' ({message})' if message else ''}"


def lines_of(findings: Sequence[Finding], at_most: int | None = _AT_MOST) -> Iterator[str]:
    for finding in findings[:at_most]:
        yield clean_line(words_of(finding))
    if at_most is not None and len(findings) > at_most:
        yield f"and {len(findings) - at_most} more: `stemma show DOC SECTION` tells all"


async def lines_about(
    client: Client, view: DocumentView, section: SectionView, at_most: int | None = _AT_MOST
) -> list[str]:
    coverage = coverage_lines(section.validation, section.covers_inputs)
    disputed = conflict_lines(view, section)
    return [*disputed, *lines_of(await findings_of(client, view.document_id, section.current), at_most), *coverage]


async def lines_about_edit(
    client: Client, view: DocumentView, section: SectionView, at_most: int | None = _AT_MOST
) -> list[str]:
    proposal = section.proposal
    if proposal is None or proposal.draft is None:
        return []
    if proposal.validation is None:
        known = "is being checked" if proposal.checking else "was not checked"
        return [f"could not be checked: {proposal.unchecked}" if proposal.unchecked else known]
    findings = await findings_in(client, view.document_id, proposal.validation)
    coverage = coverage_lines(proposal.validation, section.covers_inputs)
    return [validation_words(proposal.validation), *lines_of(findings, at_most), *coverage]


def _scored(score: float | None) -> str:
    return "" if score is None else f"{score:.2f}"

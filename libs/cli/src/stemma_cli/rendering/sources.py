"""Where the claims of a section stand, and which places of the inputs its sentences rest on."""

from __future__ import annotations

from stemma_client.client import Client
from stemma_client.findings import places_of
from stemma_contracts.v1.grounding import CitedText, ClaimSource, ClaimStanding, GroundedClaim
from stemma_contracts.v1.views import DocumentView, SectionView
from stemma_languages import DEFAULT, language

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.output import note, say_json, say_table

_COLUMNS = ("LINE", "CLAIM", "STANDING", "WHERE")
_CITED_COLUMNS = ("LINE", "TEXT", "RESTS ON")
_STANDINGS: dict[ClaimStanding, str] = {
    "input": "input",
    "brief": "brief",
    "upstream": "section",
    "computed": "computed",
    "person": "a person's",
    "unsupported": "UNSUPPORTED",
}
_PLACES = {"brief": "the brief", "person": "words of a person"}


async def show_sources(client: Client, view: DocumentView, section: SectionView, *, as_json: bool) -> None:
    """Each amount, date, quantity, name, quotation and citation of a section with the place that says it."""
    name = section.section_id
    report = await client.grounding(view.document_id, name)
    if report is None:
        raise CliError(ExitCode.FAILED, f"the claims of {name} were not looked up yet", "wait for its validation")
    if as_json:
        say_json({**dict(report), "version": section.version})
        return
    say_table(_COLUMNS, [_row(claim) for claim in report.claims])
    if not report.claims:
        note(f"{name} states no amount, date, quantity, name, quotation or citation")
    if report.cited:
        say_table(_CITED_COLUMNS, [_cited_row(cited) for cited in report.cited])
    if report.left_off:
        note(f"{report.left_off} more claims are in no report")
    if report.unread:
        note(f"not read, too large or no text: {', '.join(report.unread)}")


def _row(claim: GroundedClaim) -> tuple[str, str, str, str]:
    found = "; ".join(map(_place, claim.sources))
    where = f"{claim.how}: {found}" if claim.how and found else claim.how or found
    return f"{claim.line_number}", claim.text, _STANDINGS[claim.standing], where


def _cited_row(cited: CitedText) -> tuple[str, str, str]:
    return f"{cited.line_number}", cited.text, places_of(cited, language(DEFAULT))


def _place(source: ClaimSource) -> str:
    """A source as it is cited: by the page, slide or cells of its file where there are such, else by its line."""
    name = source.name or _PLACES.get(source.standing, "")
    heading = f", {source.heading}" if source.heading and not source.place.endswith(source.heading) else ""
    return f"{name}{heading}, {source.place or f'line {source.line}'}"

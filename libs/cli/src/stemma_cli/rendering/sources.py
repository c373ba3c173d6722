"""Where the claims of a section stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stemma_client.client import Client
from stemma_client.places import Places, places_in
from stemma_contracts.v1.grounding import ClaimSource, ClaimStanding, GroundedClaim, GroundingReport
from stemma_document.views import DocumentView, SectionView

from stemma_cli.exit_codes import CliError, ExitCode
from stemma_cli.output import note, say_json, say_table

_COLUMNS = ("LINE", "CLAIM", "STANDING", "WHERE")
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
    places = await places_in(client, view)
    if as_json:
        say_json(_report_json(report, places) | {"version": section.version})
        return
    say_table(_COLUMNS, [_row(claim, places) for claim in report.claims])
    if not report.claims:
        note(f"{name} states no amount, date, quantity, name, quotation or citation")
    if report.left_off:
        note(f"{report.left_off} more claims are in no report")
    if report.unread:
        note(f"not read, too large or no text: {', '.join(report.unread)}")


def _report_json(report: GroundingReport, places: Mapping[str, Places]) -> dict[str, Any]:
    """The report, with the place in its file that each source stands at."""
    told = report.model_dump(mode="json")
    for claim, dumped in zip(report.claims, told["claims"], strict=True):
        for source, entry in zip(claim.sources, dumped["sources"], strict=True):
            entry["place"] = _label(source, places)
    return told


def _row(claim: GroundedClaim, places: Mapping[str, Places]) -> tuple[str, str, str, str]:
    found = "; ".join(_place(source, places) for source in claim.sources)
    where = f"{claim.how}: {found}" if claim.how and found else claim.how or found
    return f"{claim.line_number}", claim.text, _STANDINGS[claim.standing], where


def _place(source: ClaimSource, places: Mapping[str, Places]) -> str:
    """A source as it is cited: by the page, slide or cells of its file where there are such, else by its line."""
    name = source.name or _PLACES.get(source.standing, "")
    heading = f", {source.heading}" if source.heading else ""
    return f"{name}{heading}, {_label(source, places) or f'line {source.line}'}"


def _label(source: ClaimSource, places: Mapping[str, Places]) -> str:
    file = {"input": source.name, "brief": "brief"}.get(source.standing, "")
    return places[file].at(source.line) if file in places else ""

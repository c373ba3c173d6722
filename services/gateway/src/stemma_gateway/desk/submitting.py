"""The submission gate: what is still open before a document is handed in, and how its last file holds to the rules."""

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import APIRouter, Request, Response
from stemma_client import DocumentView
from stemma_client.ledgers import LedgerEntry
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.ledger import LedgerWarning
from stemma_contracts.v1.views import ExportView, InputView, SectionView

from stemma_gateway.authentication import Caller
from stemma_gateway.pages import PageRoute
from stemma_gateway.resources.addresses import AtLeast, DocumentId, document_of

from .inputs import ANSWERED
from .requirements import ledger_in
from .shell import shown, title_of

router = APIRouter(route_class=PageRoute)


@dataclass(frozen=True)
class Open:
    """What stands against handing in: sections, mandatory requirements, warnings of the ledger, forms, and the file.

    ``export`` is the newest file of the whole text; it is ``outdated`` if the text changed after it was asked for.
    """

    unsettled: Sequence[SectionView]
    stale: Sequence[SectionView]
    requirements: Sequence[LedgerEntry]
    unconfirmed: int
    warnings: Sequence[LedgerWarning]
    forms: Sequence[InputView]
    export: ExportView | None
    outdated: bool

    @property
    def count(self) -> int:
        listed = (self.unsettled, self.stale, self.requirements, self.warnings, self.forms)
        broken = [rule for rule in self.export.rules if rule.state == "broken"] if self.export else []
        lacks_file = self.export is None or self.outdated
        return sum(map(len, listed)) + bool(self.unconfirmed) + len(broken) + lacks_file


def open_points(document: DocumentView, entries: Sequence[LedgerEntry]) -> Open:
    sections = [each for each in document.sections.values() if not each.form_withdrawn]
    mandatory = set(document.ledger.open_mandatory if document.ledger else ())
    done = {(each.input_id, each.input_version) for each in document.form_exports.values() if each.artifact}
    exports = [each for each in document.exports.values() if each.artifact and not each.redline]
    export = exports[-1] if exports else None
    made = [each.current.made_at for each in sections if each.current and each.current.made_at]
    return Open(
        unsettled=[each for each in sections if each.status not in ANSWERED],
        stale=[each for each in sections if each.stale],
        requirements=[entry for entry in entries if entry.row.requirement_id in mandatory],
        unconfirmed=sum(entry.decided == "found" for entry in entries),
        warnings=document.ledger.warnings if document.ledger else (),
        forms=[each for each in document.counting if each.form and (each.input_id, each.version) not in done],
        export=export,
        outdated=bool(export and export.asked_at and made and max(made) > export.asked_at),
    )


@router.get("/desk/documents/{document_id}/submission")
async def show_submission(
    request: Request, session: Caller, document_id: DocumentId, at_least: AtLeast = 0
) -> Response:
    document = await document_of(session, document_id, at_least)
    ledger = await ledger_in(session, document)
    return shown(
        request,
        session,
        "submission.html",
        document=document,
        title=await title_of(session.client, document),
        open=open_points(document, ledger.entries if ledger else ()),
        rules=len(ledger.bid.found) if ledger and ledger.bid else 0,
        formats=list(ExportFormat),
    )

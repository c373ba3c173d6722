"""Tools that take a form of the buyer out, with answers in it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from stemma_client.client import Client
from stemma_contracts.tokens import TOKEN_PATTERN
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem

from .answers import ExportTold, Step
from .arguments import DocumentId, RequestId
from .clients import asked
from .exports import Exporting
from .refusals import NotThereError
from .resources import form_export_uri
from .steps import ASK_AGAIN_AFTER_S


async def export_form(
    client: Client,
    document_id: DocumentId,
    input_id: Annotated[str, Field(pattern=TOKEN_PATTERN, description="The id of the form among the inputs.")],
    request_id: RequestId = "",
) -> Exporting:
    """Ask for a form of the buyer with the answers of its section in it, which has to be approved. It returns at once;
    form_result tells where the file is."""
    answer = await asked(client, r.ExportForm, request_id, document_id=document_id, input_id=input_id)
    export_id = str(answer.export_id)
    step = _look(document_id, export_id)
    return Exporting(request_id=answer.request_id, document_id=document_id, export_id=export_id, next=[step])


async def form_result(
    client: Client,
    document_id: DocumentId,
    export_id: Annotated[str, Field(pattern=TOKEN_PATTERN, description="The id of the export, of export_form.")],
) -> ExportTold:
    """Tell whether a form with answers is there: its resource, which fields have an answer and which have none, or
    every answer that the form does not accept."""
    export = (await client.document(document_id)).form_exports.get(export_id)
    if export is None:
        raise NotThereError(Problem.of("form_export_unknown", "export_id"))
    under_way = export.state == "under_way"
    return ExportTold(
        document_id=document_id,
        export=export,
        resource=form_export_uri(document_id, export_id) if export.artifact else "",
        ask_again_after_s=ASK_AGAIN_AFTER_S if under_way else None,
        next=[_look(document_id, export_id)] if under_way else [],
    )


def _look(document_id: str, export_id: str) -> Step:
    about: dict[str, str | int] = {"document_id": document_id, "export_id": export_id}
    return Step(tool="form_result", arguments=about, why="the file comes in seconds")

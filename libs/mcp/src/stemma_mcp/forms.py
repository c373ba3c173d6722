"""Tools that take a form of the buyer out, with answers in it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from stemma_client.client import Client
from stemma_contracts.tokens import TOKEN_PATTERN
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem

from .answers import FormTold, Step
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
    step = Step(
        tool="form_result",
        arguments={"document_id": document_id, "export_id": export_id},
        why="the file comes in seconds",
    )
    return Exporting(request_id=answer.request_id, document_id=document_id, export_id=export_id, next=[step])


async def form_result(
    client: Client,
    document_id: DocumentId,
    export_id: Annotated[str, Field(pattern=TOKEN_PATTERN, description="The id of the export, of export_form.")],
) -> FormTold:
    """Tell whether a form with answers is there: its resource, which fields have an answer and which have none, or
    every answer that the form does not accept."""
    export = (await client.document(document_id)).form_exports.get(export_id)
    if export is None:
        raise NotThereError(Problem.of("form_export_unknown", "export_id"))
    file, state = export.artifact, export.state
    return FormTold(
        document_id=document_id,
        export_id=export_id,
        input_id=export.input_id,
        state=state,
        reasons=list(export.reasons),
        resource=form_export_uri(document_id, export_id) if file else "",
        name=file.name if file else "",
        media_type=file.media_type if file else "",
        size=file.size if file else 0,
        sha256=file.digest if file else "",
        answered=export.answered,
        unanswered=export.unanswered,
        ask_again_after_s=ASK_AGAIN_AFTER_S if state == "under_way" else None,
    )

"""Tools that take a document out."""

from typing import Annotated

from mcp.types import CallToolResult, ContentBlock, ResourceLink, TextContent
from pydantic import Field
from stemma_client.client import Client
from stemma_contracts.tokens import TOKEN_PATTERN
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem, RequestAccepted
from stemma_contracts.v1.exports import Cover, ExportFormat, VersionPair
from stemma_contracts.v1.outline import MOST_SECTIONS
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.views import ExportView, FormExportView

from stemma_mcp.answers import ASK_AGAIN_AFTER_S

from .answers import Accepted, ExportTold, step
from .arguments import DocumentId, RequestId
from .clients import asked
from .refusals import NotThereError
from .resources import TEXT, export_uri, form_export_uri

MOST_INLINE_BYTES = 64 * 1024


class Exporting(Accepted):
    """An export was asked for; its file comes in seconds."""

    export_id: str


async def export_document(
    client: Client,
    document_id: DocumentId,
    format: Annotated[ExportFormat, Field(description="docx, pdf, html, md, or json for programs.")],
    citations: Annotated[
        bool, Field(description="Footnotes say on which places of the inputs each sentence rests.")
    ] = False,
    matrix: Annotated[
        bool, Field(description="An appendix says which section answers each demand of list_requirements.")
    ] = False,
    cover: Annotated[
        Cover | None, Field(description="Client and number of an offer, for the template of the house.")
    ] = None,
    redline: Annotated[
        list[VersionPair],
        Field(
            max_length=MOST_SECTIONS, description="Only these sections, as docx with what changed between two versions."
        ),
    ] = [],  # noqa: B006
    request_id: RequestId = "",
) -> Exporting:
    """Ask for a document as a file, finished or not. It returns at once; export_result tells where the file is."""
    wanted = {"format": format, "citations": citations, "matrix": matrix, "redline": redline, "cover": cover}
    answer = await asked(client, r.ExportDocument, request_id, document_id=document_id, **wanted)
    return _exporting(answer, "export_result")


async def export_result(
    client: Client,
    document_id: DocumentId,
    export_id: Annotated[str, Field(pattern=TOKEN_PATTERN, description="The id of the export, of export_document.")],
) -> Annotated[CallToolResult, ExportTold]:
    """Tell whether an export is there: its resource, size and SHA-256, and what to know of it, such as sections that
    are not approved. A text of at most 64 KiB comes with it; read any other file by its resource."""
    found = (await client.document(document_id)).exports.get(export_id)
    if found is None:
        raise NotThereError(Problem.of("export_unknown", "export_id"))
    text = await _inline(client, document_id, found.format, found.artifact)
    told = _told(document_id, found, "export_result", export_uri(document_id, found), text)
    content: list[ContentBlock] = [TextContent(type="text", text=told.model_dump_json(indent=2))]
    if file := found.artifact:
        content.append(ResourceLink(name=file.name, uri=told.resource, mime_type=file.media_type, size=file.size))
    return CallToolResult(content=content, structured_content=told.model_dump(mode="json"))


async def _inline(client: Client, document_id: str, format: ExportFormat, file: ArtifactRef | None) -> str:
    short = file is not None and format in TEXT and file.size <= MOST_INLINE_BYTES
    return await client.text(document_id, file) if short else ""


async def export_form(
    client: Client,
    document_id: DocumentId,
    input_id: Annotated[str, Field(pattern=TOKEN_PATTERN, description="The id of the form among the inputs.")],
    request_id: RequestId = "",
) -> Exporting:
    """Ask for a form of the buyer with the answers of its section in it, which has to be approved. It returns at once;
    form_result tells where the file is."""
    answer = await asked(client, r.ExportForm, request_id, document_id=document_id, input_id=input_id)
    return _exporting(answer, "form_result")


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
    return _told(document_id, export, "form_result", form_export_uri(document_id, export_id))


def _exporting(answer: RequestAccepted, then: str) -> Exporting:
    document_id, export_id = answer.document_id, str(answer.export_id)
    look = step(then, "the file comes in seconds", document_id=document_id, export_id=export_id)
    return Exporting(request_id=answer.request_id, document_id=document_id, export_id=export_id, next=[look])


def _told(
    document_id: str, export: ExportView | FormExportView, tool: str, resource: str, text: str = ""
) -> ExportTold:
    under_way = export.state == "under_way"
    look = step(tool, "the file comes in seconds", document_id=document_id, export_id=export.export_id)
    return ExportTold(
        document_id=document_id,
        export=export,
        resource=resource if export.artifact else "",
        text=text,
        ask_again_after_s=ASK_AGAIN_AFTER_S if under_way else None,
        next=[look] if under_way else [],
    )

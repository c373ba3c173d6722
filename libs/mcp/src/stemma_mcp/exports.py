"""Tools that take a document out."""

from __future__ import annotations

from typing import Annotated

from mcp.types import CallToolResult, ContentBlock, ResourceLink, TextContent
from pydantic import Field
from stemma_client.client import Client
from stemma_contracts.tokens import TOKEN_PATTERN
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.exports import ExportFormat, VersionPair
from stemma_contracts.v1.references import ArtifactRef
from stemma_contracts.v1.views import ExportView

from .answers import Accepted, ExportTold, Step
from .arguments import DocumentId, RequestId
from .clients import asked
from .refusals import NotThereError
from .resources import TEXT, export_uri
from .steps import ASK_AGAIN_AFTER_S

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
    redline: Annotated[
        list[VersionPair],
        Field(max_length=100, description="Only these sections, as docx with what changed between two versions."),
    ] = [],  # noqa: B006
    request_id: RequestId = "",
) -> Exporting:
    """Ask for a document as a file, finished or not. It returns at once; export_result tells where the file is."""
    wanted = {"format": format, "citations": citations, "matrix": matrix, "redline": redline}
    answer = await asked(client, r.ExportDocument, request_id, document_id=document_id, **wanted)
    export_id = str(answer.export_id)
    step = _look(document_id, export_id, "the file comes in seconds")
    return Exporting(request_id=answer.request_id, document_id=document_id, export_id=export_id, next=[step])


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
    told = await _told(client, document_id, found)
    content: list[ContentBlock] = [TextContent(type="text", text=told.model_dump_json(indent=2))]
    if file := found.artifact:
        content.append(ResourceLink(name=file.name, uri=told.resource, mime_type=file.media_type, size=file.size))
    return CallToolResult(content=content, structured_content=told.model_dump(mode="json"))


async def _told(client: Client, document_id: str, export: ExportView) -> ExportTold:
    under_way = export.state == "under_way"
    return ExportTold(
        document_id=document_id,
        export=export,
        resource=export_uri(document_id, export) if export.artifact else "",
        text=await _inline(client, document_id, export.format, export.artifact),
        ask_again_after_s=ASK_AGAIN_AFTER_S if under_way else None,
        next=[_look(document_id, export.export_id, "the converter is at work")] if under_way else [],
    )


async def _inline(client: Client, document_id: str, format: ExportFormat, file: ArtifactRef | None) -> str:
    short = file is not None and format in TEXT and file.size <= MOST_INLINE_BYTES
    return await client.text(document_id, file) if short else ""


def _look(document_id: str, export_id: str, why: str) -> Step:
    return Step(tool="export_result", arguments={"document_id": document_id, "export_id": export_id}, why=why)

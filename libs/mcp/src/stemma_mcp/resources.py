"""What can be read whole, by URI: the outline of a document, the text of a section, the file of an export."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from stemma_client.client import Client
from stemma_contracts.tokens import InvalidToken, check_token
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.exports import ExportFormat
from stemma_contracts.v1.summary import SectionSummary
from stemma_contracts.v1.views import DocumentView, ExportView

from .clients import ClientOf, section_in, version_in
from .refusals import NotThereError, refusal_of

_DOCUMENT = "stemma://documents/{document_id}"
_SECTION = f"{_DOCUMENT}/sections/{{section_id}}"
MARKDOWN = "text/markdown"
ANY_FILE = "application/octet-stream"
MEDIA_TYPES: Mapping[ExportFormat, str] = {
    ExportFormat.DOCX: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ExportFormat.PDF: "application/pdf",
    ExportFormat.HTML: "text/html",
    ExportFormat.JSON: "application/json",
    ExportFormat.MD: MARKDOWN,
}
TEXT = frozenset({ExportFormat.HTML, ExportFormat.JSON, ExportFormat.MD})


def section_uri(document_id: str, section_id: str, version: int) -> str:
    """Where the text of a section is in a version; 0: the current one."""
    uri = _SECTION.format(document_id=document_id, section_id=section_id)
    return f"{uri}/versions/{version}" if version else uri


def export_uri(document_id: str, export: ExportView) -> str:
    return f"{_DOCUMENT.format(document_id=document_id)}/exports/{export.export_id}/file.{export.format}"


def form_export_uri(document_id: str, export_id: str) -> str:
    return f"{_DOCUMENT.format(document_id=document_id)}/form-exports/{export_id}/file"


def add_resources(server: MCPServer[Any], client_of: ClientOf) -> None:
    @server.resource(f"{_DOCUMENT}/outline", mime_type="application/json", title="Outline of a document")
    async def outline(document_id: str, context: Context[Any, Any]) -> str:
        """The sections of a document in their order, what each rests on, and where it stands."""
        async with _reading(client_of, context, document_id) as client:
            return _outline(await client.document(document_id))

    @server.resource(_SECTION, mime_type=MARKDOWN, title="Text of a section")
    async def section(document_id: str, section_id: str, context: Context[Any, Any]) -> str:
        """The current text of a section."""
        async with _reading(client_of, context, document_id) as client:
            return await _text(client, document_id, section_id, None)

    @server.resource(f"{_SECTION}/versions/{{version}}", mime_type=MARKDOWN, title="Text of a version")
    async def version(document_id: str, section_id: str, version: int, context: Context[Any, Any]) -> str:
        """The text of a section in a version."""
        async with _reading(client_of, context, document_id) as client:
            return await _text(client, document_id, section_id, version)

    @server.resource(
        f"{_DOCUMENT}/form-exports/{{export_id}}/file",
        mime_type=ANY_FILE,
        title="Form of the buyer with answers",
    )
    async def form_export(document_id: str, export_id: str, context: Context[Any, Any]) -> bytes:
        """The file of a form with answers in it."""
        async with _reading(client_of, context, document_id) as client:
            found = (await client.document(document_id)).form_exports.get(export_id)
            if found is None or found.artifact is None:
                raise NotThereError(Problem.of("export_not_made", "export_id"))
            return await client.artifact(document_id, found.artifact)

    for one in ExportFormat:
        _add_export(server, client_of, one)


def _add_export(server: MCPServer[Any], client_of: ClientOf, format: ExportFormat) -> None:
    uri = f"{_DOCUMENT}/exports/{{export_id}}/file.{format}"

    @server.resource(uri, name=f"export_{format}", mime_type=MEDIA_TYPES[format], title=f"Export as {format}")
    async def export(document_id: str, export_id: str, context: Context[Any, Any]) -> str | bytes:
        """The file of an export."""
        async with _reading(client_of, context, document_id) as client:
            found = (await client.document(document_id)).exports.get(export_id)
            if found is None or found.artifact is None or found.format is not format:
                raise NotThereError(Problem.of("export_not_made", "export_id"))
            content = await client.artifact(document_id, found.artifact)
        return content.decode("utf-8", "replace") if format in TEXT else content


@asynccontextmanager
async def _reading(client_of: ClientOf, context: Context[Any, Any], document_id: str) -> AsyncIterator[Client]:
    """The client of whoever reads; what stands in the way is told as the protocol tells it."""
    try:
        check_token(document_id, "document id")
        async with client_of(context) as client:
            yield client
    except InvalidToken as error:
        raise ResourceNotFoundError(str(error)) from None
    except Exception as error:
        if (refusal := refusal_of(error)) is None:
            raise
        words = "; ".join(problem.message for problem in refusal.problems)
        raise (ResourceNotFoundError if refusal.code == "not_found" else ResourceError)(words) from error


async def _text(client: Client, document_id: str, section_id: str, number: int | None) -> str:
    _, section = await section_in(client, document_id, section_id)
    found = version_in(section, section.version if number is None else number, "version")
    return await client.text(document_id, found.draft)


def _outline(view: DocumentView) -> str:
    sections = [
        {
            **SectionSummary.of(section, section.title).model_dump(mode="json"),
            "depends_on": section.depends_on,
            "resource": section_uri(view.document_id, section.section_id, 0),
        }
        for section in view.sections.values()
    ]
    told = {"document_id": view.document_id, "kind": view.kind, "status": view.status, "sections": sections}
    return json.dumps(told, ensure_ascii=False, indent=2)

"""Whose client serves a call: that of the person or program who makes it."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp.server.mcpserver import Context
from stemma_client.client import Client
from stemma_contracts.v1.answers import Problem, RequestAccepted
from stemma_contracts.v1.references import UploadRef
from stemma_contracts.v1.requests import Request
from stemma_contracts.v1.views import DocumentView, SectionView, VersionView

from .arguments import GivenFile, GivenInput
from .refusals import InvalidArgumentsError, NotThereError, validated

ClientOf = Callable[[Context[Any, Any]], AbstractAsyncContextManager[Client]]
"""The client of whoever makes a call, open for as long as the call takes."""

ANSWER_WITHIN_S = 10.0
"""How long the answer to a request is waited for, which says only that it was taken up; never for its work."""


async def asked(client: Client, kind: type[Request], request_id: str, **fields: Any) -> RequestAccepted:
    """A request in the name of the caller, and its answer. Raises as `Client.request` does."""
    request = validated(kind, actor=client.actor, request_id=request_id or None, **fields)
    return await client.request(request, wait_s=ANSWER_WITHIN_S)


async def section_in(client: Client, document_id: str, section_id: str) -> tuple[DocumentView, SectionView]:
    view = await client.document(document_id)
    if section_id not in view.sections:
        known = ", ".join(view.sections)
        raise NotThereError(Problem.of("section_unknown_among", "section_id", section_id=section_id, known=known))
    return view, view.sections[section_id]


def version_in(section: SectionView, number: int, argument: str) -> VersionView:
    """A version by its number; raises `NotThereError`, which names the argument that gave it."""
    if (version := section.numbered(number)) is None:
        name, current = section.section_id, section.version
        problem = Problem.of(
            "version_unknown_beside", argument, section_id=name, version=number, current_version=current
        )
        raise NotThereError(problem)
    return version


def content_of(file: GivenFile, field: str) -> bytes:
    """The bytes of a file that was given in an argument; raises `InvalidArgumentsError`, which names the argument."""
    try:
        return file.content
    except ValueError as error:
        raise InvalidArgumentsError(Problem.of("content_not_base64", f"{field}.base64", reason=str(error))) from None


async def uploaded(client: Client, file: GivenFile, content: bytes) -> UploadRef:
    """A file where a request can refer to it, with its role if it has one; one that is there is not sent again."""
    upload = file.upload or await client.upload(content, name=file.name)
    chosen = isinstance(file, GivenInput) and "role" in file.model_fields_set
    role = {"role": file.role, "role_confirmed": True} if isinstance(file, GivenInput) and chosen else {}
    return upload.model_copy(update={"name": file.name, **role})

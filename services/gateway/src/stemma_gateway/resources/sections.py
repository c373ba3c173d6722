"""Sections, their versions and texts."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from stemma_client import SectionView
from stemma_client.comments import ReadThread
from stemma_client.differences import Change, differences
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.references import ArtifactRef

from stemma_gateway.authentication import Caller
from stemma_gateway.content import content, served
from stemma_gateway.problems import NotFound

from .addresses import AtLeast, DocumentId, Number, SectionId, document_of, section_in, section_of

router = APIRouter(tags=["sections"], prefix="/documents/{document_id}/sections")


@router.get("/{section_id}/comments")
async def list_comments(
    session: Caller, document_id: DocumentId, section_id: SectionId, at_least: AtLeast = 0
) -> list[ReadThread]:
    """The threads of comments on a section, with the places in the current version that they are about."""
    section = await section_of(session, document_id, section_id, at_least)
    return list(await session.client.threads(document_id, section))


@router.get("")
async def list_sections(session: Caller, document_id: DocumentId, at_least: AtLeast = 0) -> list[SectionView]:
    """The sections of a document in their order."""
    return list((await document_of(session, document_id, at_least)).sections.values())


@router.get("/{section_id}")
async def show_section(
    session: Caller, document_id: DocumentId, section_id: SectionId, at_least: AtLeast = 0
) -> SectionView:
    """A section with all its versions."""
    return await section_of(session, document_id, section_id, at_least)


@content(router, "/{section_id}/text")
async def show_text(request: Request, session: Caller, document_id: DocumentId, section_id: SectionId) -> Response:
    """The text of the current version, in Markdown."""
    section = await section_of(session, document_id, section_id)
    return await served(request, session, document_id, _draft(section, section.version))


@content(router, "/{section_id}/versions/{version}/text")
async def show_version(
    request: Request, session: Caller, document_id: DocumentId, section_id: SectionId, version: Number
) -> Response:
    """The text of a version, in Markdown."""
    section = await section_of(session, document_id, section_id)
    return await served(request, session, document_id, _draft(section, version))


@router.get("/{section_id}/differences")
async def show_differences(
    session: Caller,
    document_id: DocumentId,
    section_id: SectionId,
    old: Annotated[int, Query(ge=1, le=2**31, description="the version that is compared with")],
    new: Annotated[int | None, Query(ge=1, le=2**31, description="else the current one")] = None,
) -> list[Change]:
    """What changed between two versions: the lines, and in these the words."""
    document = await document_of(session, document_id)
    section = section_in(document, section_id)
    refs = (_draft(section, old), _draft(section, new or section.version))
    before, after = [(await session.client.artifact(document_id, ref)).decode() for ref in refs]
    return list(await session.client.compute(differences, before, after, document.language))


def _draft(section: SectionView, number: int) -> ArtifactRef:
    if (found := section.numbered(number)) is None:
        raise NotFound(Problem.of("version_unknown", section_id=section.section_id, version=number))
    return found.draft

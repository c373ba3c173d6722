"""A section: its text as it is meant and as it is written, what is known of it, and all that can be decided."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response
from stemma_artifacts.store import ArtifactMissing
from stemma_client import Client, DocumentView
from stemma_client.differences import Change, differences
from stemma_client.findings import Finding, findings_of
from stemma_client.single_changes import SingleChange, single_changes
from stemma_document.views import SectionView, VersionView
from stemma_markdown import html

from stemma_gateway.authentication import Caller
from stemma_gateway.delivery import address
from stemma_gateway.pages import PageRoute
from stemma_gateway.problems import NotFound
from stemma_gateway.resources.addresses import AtLeast, DocumentId, SectionId, document_of
from stemma_gateway.sessions import Session

from .shell import shown
from .verbs import BY_NAME, open_verbs

PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
NOTHING: Mapping[str, str] = MappingProxyType({})
DONE = frozenset({*BY_NAME, "comment", "resolve", "reopen", "take_back"})
Compared = Annotated[int | None, Query(ge=1, le=2**31)]
router = APIRouter(route_class=PageRoute)


@router.get("/desk/documents/{document_id}/sections/{section_id}")
async def show_section(
    request: Request,
    session: Caller,
    document_id: DocumentId,
    section_id: SectionId,
    at_least: AtLeast = 0,
    old: Compared = None,
    new: Compared = None,
    done: str = "",
    draft: str = "",
) -> Response:
    """A section, and with ``old`` what changed since that version."""
    document = await document_of(session, document_id, at_least)
    pair = (old, new) if old else None
    done, draft = done if done in DONE else "", draft if draft.isalnum() else ""
    return await section_page(request, session, document, section_id, pair=pair, done=done, draft=draft)


async def section_page(
    request: Request,
    session: Session,
    document: DocumentView,
    section_id: str,
    *,
    pair: tuple[int, int | None] | None = None,
    done: str = "",
    draft: str = "",
    error: Exception | None = None,
    typed: Mapping[str, str] = NOTHING,
    remarks: tuple[Mapping[str, str], ...] = (),
) -> Response:
    """The page of a section; ``typed`` and ``remarks`` are what was refused, with its error: nothing of it is lost."""
    if (section := document.sections.get(section_id)) is None:
        raise NotFound(f"the document has no section {section_id!r}")
    client, document_id = session.client, document.document_id
    text = await stored(client, document_id, section.current)
    findings = await findings_of(client, document_id, section.current)
    return shown(
        request,
        session,
        "section.html",
        error=error,
        document=document,
        section=section,
        verbs=open_verbs(section),
        lines=text.split("\n"),
        rendered=html(text, lambda name: picture(request, document, section, name), level=1),
        findings=findings,
        by_line=_by_line(findings),
        question=await client.text(document_id, section.need.question) if section.need else "",
        proposed=await _proposed(client, document, section, text),
        pair=pair,
        changes=await _changes(client, document, section, pair) if pair else (),
        singles=await _singles(client, document, section, pair[0], text) if pair and not pair[1] else (),
        done=done,
        draft=draft,
        typed=typed,
        threads=await client.threads(document_id, section),
        remarks=remarks,
    )


async def stored(client: Client, document_id: str, version: VersionView | None) -> str:
    """The text of a version; nothing where it is not stored any more."""
    try:
        return await client.text(document_id, version.draft if version else None)
    except ArtifactMissing:
        return ""


async def _changes(
    client: Client, document: DocumentView, section: SectionView, pair: tuple[int, int | None]
) -> tuple[Change, ...]:
    numbers = (pair[0], pair[1] or section.version)
    found = [next((each for each in section.versions if each.number == number), None) for number in numbers]
    if None in found:
        raise NotFound(f"the section has no version {numbers[found.index(None)]}")
    old, new = [await stored(client, document.document_id, version) for version in found]
    return differences(old, new, document.language)


async def _singles(
    client: Client, document: DocumentView, section: SectionView, old: int, text: str
) -> tuple[SingleChange, ...]:
    """The changes since a version that can be taken back now."""
    before = next((each for each in section.versions if each.number == old), None)
    if section.at_work or before is None or old == section.version:
        return ()
    return single_changes(await stored(client, document.document_id, before), text, document.language)


async def _proposed(
    client: Client, document: DocumentView, section: SectionView, text: str
) -> tuple[Change, ...] | None:
    if section.proposal is None or section.proposal.draft is None:
        return None
    new = await client.text(document.document_id, section.proposal.draft)
    return differences(text, new, document.language)


def _by_line(findings: tuple[Finding, ...]) -> Mapping[int, list[Finding]]:
    lines: dict[int, list[Finding]] = {}
    for finding in findings:
        if finding.line:
            lines.setdefault(finding.line, []).append(finding)
    return lines


def picture(request: Request, document: DocumentView, section: SectionView | None, name: str) -> str | None:
    """The address of an image that a text shows: one among the inputs, or one that came with a text of its section."""
    for file in document.inputs:
        if file.name == name and file.artifact.media_type in PICTURES:
            return address(request, f"/documents/{document.document_id}/inputs/{quote(name)}")
    for image in (image for version in reversed(section.versions if section else ()) for image in version.images):
        if image.name == name and image.artifact.media_type in PICTURES:
            return address(request, f"/documents/{document.document_id}/artifacts/{image.artifact.digest}")
    return None

"""Files that a request refers to, uploaded before it, whole or in pieces.

In pieces it goes as in the draft of the IETF for resumable uploads: `Upload-Offset` is where a piece begins,
`Upload-Complete` whether it is the last.
"""

from collections.abc import AsyncIterator
from http import HTTPStatus
from tempfile import SpooledTemporaryFile
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Header, Path, Query, Request, Response
from stemma_artifacts.uploads import Incomplete, Progress, ResumableUploads, WrongOffset
from stemma_client.inputs import MAX_FILE_BYTES
from stemma_contracts.tokens import FileName
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.references import UploadRef

from stemma_gateway.authentication import Caller
from stemma_gateway.content import BYTES, OCTETS
from stemma_gateway.delivery import address
from stemma_gateway.problems import Conflict, NotFound, TooLarge
from stemma_gateway.sessions import Session

IN_MEMORY_BYTES = 1024 * 1024
YES: Final = "?1"
NO: Final = "?0"
BODY: dict[str, Any] = {"requestBody": {"content": {OCTETS: BYTES}}}
PIECE: dict[str, Any] = {"requestBody": {"content": {"application/partial-upload": BYTES, OCTETS: BYTES}}}

router = APIRouter(tags=["uploads"])
UploadId = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]
Name = Annotated[FileName, Query(max_length=255, description="the path of the file among the inputs")]
Complete = Annotated[Literal["?0", "?1"] | None, Header(description="`?0` if more is to come, `?1` if this is all")]
Offset = Annotated[int, Header(ge=0, le=MAX_FILE_BYTES, description="where this piece begins")]


@router.post(
    "/uploads", status_code=201, response_model=UploadRef, responses={204: {"description": "begun"}}, openapi_extra=BODY
)
async def upload(request: Request, session: Caller, name: Name, upload_complete: Complete = None) -> Any:
    """Upload a file; the reference goes into a request. It is kept for seven days.

    With `Upload-Complete: ?0` this is the first piece, and `Location` is where the others go.
    """
    if upload_complete == NO:
        upload_id = ResumableUploads.new_id()
        where = {"Location": address(request, str(request.url_for("upload_piece", upload_id=upload_id).path))}
        where["Location"] += f"?{request.url.query}"
        return await _add(request, session, (upload_id, name), 0, NO, where)
    with SpooledTemporaryFile(IN_MEMORY_BYTES) as file:
        async for piece in _bounded(request, 0):
            file.write(piece)
        file.seek(0)
        return await session.client.upload(file, name=name)


@router.head("/uploads/{upload_id}", status_code=204, response_class=Response)
async def upload_progress(session: Caller, upload_id: UploadId) -> Response:
    """How far an upload has come."""
    return Response(None, HTTPStatus.NO_CONTENT, _told(await session.client.upload_progress(upload_id)))


@router.patch(
    "/uploads/{upload_id}",
    status_code=201,
    response_model=UploadRef,
    responses={204: {"description": "more is to come"}},
    openapi_extra=PIECE,
)
async def upload_piece(
    request: Request,
    session: Caller,
    upload_id: UploadId,
    name: Name,
    upload_offset: Offset,
    upload_complete: Complete = YES,
) -> Any:
    """Add a piece; the last one is answered with the reference of the file."""
    return await _add(request, session, (upload_id, name), upload_offset, upload_complete or YES, {})


@router.get("/uploads/{upload_id}")
async def uploaded(session: Caller, upload_id: UploadId, name: Name) -> UploadRef:
    """The reference of a file whose pieces are all there."""
    return await _reference(session, upload_id, name)


async def _add(
    request: Request, session: Session, which: tuple[str, str], offset: int, complete: str, headers: dict[str, str]
) -> Response | UploadRef:
    upload_id, name = which
    pieces, last = _bounded(request, offset), complete == YES
    try:
        progress = await session.client.upload_piece(upload_id, offset, pieces, complete=last)
    except WrongOffset as error:
        code = "upload_complete" if error.progress.complete else "upload_offset_mismatch"
        raise Conflict(Problem.of(code, size=error.progress.offset), _told(error.progress)) from None
    if last:
        return await _reference(session, upload_id, name)
    return Response(None, HTTPStatus.NO_CONTENT, {**_told(progress), **headers})


async def _reference(session: Session, upload_id: str, name: str) -> UploadRef:
    try:
        return await session.client.uploaded(upload_id, name=name)
    except Incomplete as error:
        raise NotFound(Problem.of("upload_incomplete", reason=str(error))) from None


async def _bounded(request: Request, offset: int) -> AsyncIterator[bytes]:
    async for piece in request.stream():
        offset += len(piece)
        if offset > MAX_FILE_BYTES:
            raise TooLarge(Problem.of("body_part_too_large", max_size=MAX_FILE_BYTES))
        yield piece


def _told(progress: Progress) -> dict[str, str]:
    return {
        "Upload-Offset": str(progress.offset),
        "Upload-Complete": YES if progress.complete else NO,
        "Upload-Limit": f"max-size={MAX_FILE_BYTES}",
    }

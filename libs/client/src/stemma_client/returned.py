"""A DOCX that comes back from Word or LibreOffice: what people did in it, and taking that over once it was shown."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, NamedTuple

from stemma_contracts import v1
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.returned import ReturnedDocument

from .errors import InvalidInputError

if TYPE_CHECKING:
    from stemma_contracts.v1.references import ArtifactRef, UploadRef

    from .client import Client


class Read(NamedTuple):
    """What was found in a file; its digest (``shown``) is what `ApplyReturn` names."""

    return_id: str
    shown: ArtifactRef
    found: ReturnedDocument


async def read_return(client: Client, document_id: str, upload: UploadRef) -> Read:
    """Have a file compared, or the DOCX that is attached to a mail; raises `InvalidInputError` for one of no use."""
    accepted = await client.request(v1.requests.ReadReturn(document_id=document_id, upload=upload))
    return await return_read(client, document_id, str(accepted.return_id))


async def return_read(client: Client, document_id: str, return_id: str) -> Read:
    """Wait until a file was compared. Raises as `read_return` does."""
    async with aclosing(client.follow(document_id)) as recorded_events:
        async for event in recorded_events:
            match event.contract:
                case v1.events.ReturnRead(return_id=name, found=shown) if name == return_id:
                    content = await client.artifact(document_id, shown)
                    return Read(return_id, shown, ReturnedDocument.model_validate_json(content))
                case v1.events.ReturnUnread(return_id=name) as unread if name == return_id:
                    error = InvalidInputError(unread.detail)
                    error.problem = Problem(field="", message=unread.detail, code=unread.code, params=unread.params)
                    raise error
    raise InvalidInputError.of("return_unknown", "return_id", return_id=return_id)

"""The requests that are more to write than their contract; all others go through `Client.request`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING

from stemma_contracts import v1

from .errors import InvalidInputError
from .inputs import read

if TYPE_CHECKING:
    from stemma_contracts.v1.answers import RequestAccepted
    from stemma_contracts.v1.comments import NewComment
    from stemma_contracts.v1.plans import Plan
    from stemma_contracts.v1.references import UploadRef, UploadRole


class Decisions(ABC):
    """Each method waits for the answer.

    A decision about a version that is not the current one any more, or that the status of the section does not allow,
    changes nothing and raises `RequestRejectedError`.
    """

    @abstractmethod
    async def request(self, request: v1.requests.Request) -> RequestAccepted:
        """Publish a request and wait for its answer."""

    @abstractmethod
    async def upload(self, source: Path | str | bytes | IO[bytes], *, name: str | None = None) -> UploadRef:
        """Put a file or bytes where a request can refer to it."""

    @abstractmethod
    async def anchored(
        self, document_id: str, section_id: str, version: int, comments: Iterable[NewComment]
    ) -> tuple[NewComment, ...]:
        """Comments with the blocks that they are about."""

    async def plan(self, request: v1.requests.DocumentRequest) -> Plan:
        """What a request would lead to, with what that takes; raises as `request` does, and changes nothing."""
        answer = await self.request(v1.requests.PlanChange.of(request))
        assert answer.plan is not None, "a plan was asked for"
        return answer.plan

    async def approve(self, document_id: str, section_id: str, version: int) -> RequestAccepted:
        """Approve a section that waits for review."""
        return await self.request(
            v1.requests.ApproveSection(document_id=document_id, section_id=section_id, version=version)
        )

    async def revise(
        self,
        document_id: str,
        section_id: str,
        version: int,
        feedback: str,
        *,
        cycle: bool = False,
        replace_edited: bool = False,
    ) -> RequestAccepted:
        """Send a section that waits for review to the editor agent, with feedback in words; it is reviewed again.

        With ``cycle`` every section of the document is written again by the feedback, not only this one changed;
        those that a person made only with ``replace_edited``.
        """
        return await self.request(
            v1.requests.ReviseSection(
                document_id=document_id,
                section_id=section_id,
                version=version,
                feedback=feedback,
                cycle=cycle,
                replace_edited=replace_edited,
            )
        )

    async def edit(
        self,
        document_id: str,
        section_id: str,
        version: int,
        *,
        instruction: str | None = None,
        text: str | Path | None = None,
        images: tuple[UploadRef, ...] = (),
    ) -> RequestAccepted:
        """Change any section at any time: by an instruction to the editor agent, or by a text or Markdown file.

        ``version`` is 0 while nothing is written. A long text is sent as an upload. ``images`` were uploaded, and the
        text shows them by their names, which no other file of the document may have. Raises `InvalidInputError`
        for a file that cannot be read or is not UTF-8.
        """
        return await self.request(
            v1.requests.EditSection(
                document_id=document_id,
                section_id=section_id,
                version=version,
                instruction=instruction,
                text=_text_in(text) if isinstance(text, Path) else text,
                images=images,
            )
        )

    async def answer_need(
        self,
        document_id: str,
        section_id: str,
        need_id: str,
        answer: str = "",
        *,
        decisions: Mapping[str, str | UploadRef] | None = None,
        heading: str = "",
    ) -> RequestAccepted:
        """Answer what the paused graph of a section asked for, in words, by decisions, or both.

        A decision about a missing image is ``"skip"``, the name of an input, or an image that was uploaded.
        """
        return await self.request(
            v1.requests.AnswerNeed(
                document_id=document_id,
                section_id=section_id,
                need_id=need_id,
                answer=answer,
                decisions=dict(decisions or {}),
                heading=heading,
            )
        )

    async def comment(
        self, document_id: str, section_id: str, version: int, comments: Iterable[NewComment]
    ) -> RequestAccepted:
        """Comment on a version; all comments are made, as one review, or none. Raises as `anchored` does."""
        made = await self.anchored(document_id, section_id, version, comments)
        return await self.request(
            v1.requests.CommentSection(document_id=document_id, section_id=section_id, version=version, comments=made)
        )

    async def add_input(
        self,
        document_id: str,
        file: Path | UploadRef,
        *,
        name: str | None = None,
        role: UploadRole | None = None,
        staged: bool = False,
    ) -> RequestAccepted:
        """Give a document one more input, under its own name or another.

        Without a ``role`` it has that of the upload, or the one that its name or text proposes, else evidence.
        What is ``staged`` is read and does not count before `ApplyInput`.
        """
        upload = await self._uploaded_as(file, name)
        if role is not None:
            upload = upload.model_copy(update={"role": role, "role_confirmed": True})
        return await self.request(v1.requests.AddInput(document_id=document_id, upload=upload, staged=staged))

    async def replace_input(
        self, document_id: str, input_id: str, version: int, file: Path | UploadRef, *, staged: bool = False
    ) -> RequestAccepted:
        """Give an input another file; it keeps its name.

        What is ``staged`` is read and compared, and does not count before `ApplyInput`.
        """
        upload = await self._uploaded_as(file, None)
        return await self.request(
            v1.requests.ReplaceInput(
                document_id=document_id, input_id=input_id, version=version, upload=upload, staged=staged
            )
        )

    async def _uploaded_as(self, given: Path | UploadRef, name: str | None) -> UploadRef:
        upload = await self.upload(given, name=name) if isinstance(given, Path) else given
        return upload.model_copy(update={"name": name}) if name else upload


def _text_in(path: Path) -> str:
    try:
        return read(path).decode()
    except UnicodeDecodeError:
        raise InvalidInputError(f"{path} is not UTF-8 text") from None

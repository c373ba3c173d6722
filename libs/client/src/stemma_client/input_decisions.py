"""Decisions of people about what a document is written from; each is bound to the version that the person saw."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from stemma_contracts import v1
from stemma_contracts.v1.answers import RequestAccepted
from stemma_contracts.v1.references import UploadRef, UploadRole


class InputDecisions(ABC):
    """Inputs are added, replaced and withdrawn at any time; nothing is written anew by that: sections become stale.

    Each method waits for the answer. A decision about a version that is not the current one any more changes nothing
    and raises `RequestRejectedError`.
    """

    actor: str

    @abstractmethod
    async def request(self, request: v1.requests.Request) -> RequestAccepted:
        """Publish a request and wait for its answer."""

    @abstractmethod
    async def upload(self, source: Path | str | bytes | IO[bytes], *, name: str | None = None) -> UploadRef:
        """Put a file or bytes where a request can refer to it."""

    async def add_input(
        self,
        document_id: str,
        file: Path | UploadRef,
        *,
        name: str | None = None,
        role: UploadRole = "evidence",
        staged: bool = False,
    ) -> RequestAccepted:
        """Give a document one more input, under its own name or another.

        What is ``staged`` is read and does not count before `apply_input`.
        """
        upload = (await self._uploaded_as(file, name)).model_copy(update={"role": role})
        return await self.request(
            v1.requests.AddInput(actor=self.actor, document_id=document_id, upload=upload, staged=staged)
        )

    async def replace_input(
        self, document_id: str, input_id: str, version: int, file: Path | UploadRef, *, staged: bool = False
    ) -> RequestAccepted:
        """Give an input another file; it keeps its name.

        What is ``staged`` is read and compared, and does not count before `apply_input`.
        """
        upload = await self._uploaded_as(file, None)
        return await self.request(
            v1.requests.ReplaceInput(
                actor=self.actor,
                document_id=document_id,
                input_id=input_id,
                version=version,
                upload=upload,
                staged=staged,
            )
        )

    async def apply_input(self, document_id: str, input_id: str, version: int) -> RequestAccepted:
        """Have what was staged count."""
        return await self.request(
            v1.requests.ApplyInput(actor=self.actor, document_id=document_id, input_id=input_id, version=version)
        )

    async def withdraw_input(self, document_id: str, input_id: str, version: int) -> RequestAccepted:
        """Have an input, or what was staged for it, count no more."""
        return await self.request(
            v1.requests.WithdrawInput(actor=self.actor, document_id=document_id, input_id=input_id, version=version)
        )

    async def _uploaded_as(self, given: Path | UploadRef, name: str | None) -> UploadRef:
        upload = given if isinstance(given, UploadRef) else await self.upload(given, name=name)
        return upload.model_copy(update={"name": name}) if name else upload

    async def confirm_form_fields(
        self, document_id: str, input_id: str, version: int, *, dropped: Iterable[str] = ()
    ) -> RequestAccepted:
        """Have the fields that were found in a form answered in a section of its own, but for those that are dropped.

        Again, as for a new version of the form, it answers those fields from then on; its text stays as it is.
        """
        asked = v1.requests.ConfirmFormFields(
            actor=self.actor, document_id=document_id, input_id=input_id, version=version, dropped=tuple(dropped)
        )
        return await self.request(asked)

"""Events about the inputs of a document: what was given, what of it was read, what was replaced and withdrawn."""

from __future__ import annotations

from pydantic import Field

from stemma_contracts.registry import Family, registry
from stemma_contracts.tokens import JobId, Token
from stemma_contracts.v1.inputs import InputDifference, InputReading, Unreadable
from stemma_contracts.v1.references import ArtifactRef, InputFile

from .base import Event


class InputEvent(Event):
    """An event about one input."""

    input_id: Token


@registry.contract("stemma.document.input.added.v1", Family.EVENT)
class DocumentInputAdded(InputEvent):
    """A file became an input; with ``unreadable`` nobody needs to try to read it.

    With ``to_read`` it is read first. What is ``staged`` is read, and does not count before it is applied.
    """

    file: InputFile
    parent: Token | None = Field(default=None, description="the message whose attachment it is")
    to_read: bool = False
    staged: bool = False
    unreadable: Unreadable | None = None


@registry.contract("stemma.document.input.replaced.v1", Family.EVENT)
class DocumentInputReplaced(InputEvent):
    """Another file takes the place of an input. It is read first; until then the version before counts.

    What is ``staged`` is read and compared, and does not count before it is applied.
    """

    version: int = Field(ge=1)
    artifact: ArtifactRef
    is_text: bool = False
    staged: bool = False
    unreadable: Unreadable | None = None


@registry.contract("stemma.document.input.applied.v1", Family.EVENT)
class DocumentInputApplied(InputEvent):
    """What was staged counts from now on."""

    version: int = Field(ge=1)


@registry.contract("stemma.document.input.withdrawn.v1", Family.EVENT)
class DocumentInputWithdrawn(InputEvent):
    """The input counts no more; its content and what was written from it stay."""


@registry.contract("stemma.document.input.read.v1", Family.EVENT)
class DocumentInputRead(InputEvent):
    """A version of an input was read; ``children`` are the attachments of a message, inputs of their own."""

    job_id: JobId
    version: int = Field(ge=1)
    reading: InputReading
    children: tuple[InputFile, ...] = ()
    difference: InputDifference | None = Field(default=None, description="from the version before, if there is one")
    left_off: int = Field(default=0, ge=0, description="images and attachments beyond what a document can have")


@registry.contract("stemma.document.input.unreadable.v1", Family.EVENT)
class DocumentInputUnreadable(InputEvent):
    """A version of an input could not be read; the text of the version before, if there is one, counts on."""

    job_id: JobId
    version: int = Field(ge=1)
    unreadable: Unreadable

"""The state of an input: what was given under its id, what was read of it, and what is still being read."""

from __future__ import annotations

from dataclasses import dataclass

from stemma_contracts.v1.inputs import InputDifference, InputReading, Unreadable
from stemma_contracts.v1.references import ArtifactRef, InputFile, InputRole


@dataclass(frozen=True)
class Content:
    """One version of an input: its file, and what writers have of it.

    ``text`` is None where nothing is read of it: an image, an attachment, a file that could not be read. A version
    that could not be read has the text of the one before. ``children`` are the attachments of a message.
    """

    number: int
    file: ArtifactRef
    text: ArtifactRef | None = None
    reading: InputReading | None = None
    unreadable: Unreadable | None = None
    difference: InputDifference | None = None
    children: tuple[InputFile, ...] = ()


@dataclass(frozen=True)
class Pending:
    """A version to come: ``job_id`` is the job that reads it, None once ``content`` is there and waits.

    What is ``staged`` counts only when it is applied.
    """

    number: int
    file: ArtifactRef
    job_id: str | None
    is_text: bool = False
    staged: bool = False
    content: Content | None = None


@dataclass(frozen=True)
class Input:
    """An input by an id that is neither its name nor its digest. ``parent`` is the message that it was attached to."""

    input_id: str
    name: str
    role: InputRole = "evidence"
    parent: str | None = None
    contents: tuple[Content, ...] = ()
    pending: Pending | None = None
    withdrawn: bool = False
    form: bool = False

    @property
    def current(self) -> Content | None:
        """The version that counts; None while the first is being read or staged."""
        return self.contents[-1] if self.contents else None

    @property
    def version(self) -> int:
        """The number of the version that counts, 0 if there is none."""
        return self.contents[-1].number if self.contents else 0

    def asks(self, number: int) -> tuple[frozenset[str], str]:
        """The fields of a version of a form, and a digest of what they accept, which old logs do not have."""
        content = self.content(number)
        found = content.reading.form if content and content.reading else None
        return (frozenset(found.field_ids), found.accepted_digest or "") if found else (frozenset(), "")

    @property
    def is_awaited(self) -> bool:
        """Whether a version is being read that counts at once."""
        pending = self.pending
        return pending is not None and pending.job_id is not None and not pending.staged and not self.withdrawn

    def content(self, number: int) -> Content | None:
        """A version by its number."""
        return next((content for content in self.contents if content.number == number), None)

"""What may be an input of a document: its kind, its size, and that it is what it says."""

import asyncio
import codecs
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field

from stemma_contracts.media import MEDIA_TYPE_PATTERN, READ, SHOWN
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.inputs import Unreadable
from stemma_contracts.v1.references import UploadRef, UploadRole
from stemma_domain.features.inputs.feature import listed
from stemma_domain.features.inputs.material import as_input
from stemma_languages import role_of_name, role_of_text

MARKDOWN = "text/markdown"
_MEDIA_TYPE = re.compile(MEDIA_TYPE_PATTERN)
_SIGNATURES = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
}
_LONGEST_SIGNATURE = 8
_SEEN_CHARACTERS = 20_000
MAX_LIST_BYTES = 40 * 1024
"""What the list of inputs may take up in an event and in every job of a section."""


class NotWhatItSays(ValueError):
    """The content of an upload does not fit its media type; the problem, which has no field yet, says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


@dataclass(frozen=True)
class Limits:
    """Sizes in bytes that inputs are held to: one of them, all of a request, one that is read, and a brief."""

    max_input_bytes: int
    max_inputs_bytes: int
    max_text_input_bytes: int
    max_brief_bytes: int


@dataclass
class Judged:
    """What is to be done with an input: nothing, to read it first, or not even that.

    It is found out while the content is copied: ``noticed`` gives the same pieces. ``proposed`` is the role that its
    name, or the text that it is, proposes.
    """

    upload: UploadRef
    max_text_bytes: int
    to_read: bool = False
    unreadable: Unreadable | None = field(default=None)
    proposed: UploadRole = "evidence"

    def __post_init__(self) -> None:
        kind = self.upload.media_type
        self.proposed = role_of_name(self.upload.name, kind) or self.proposed
        if self.upload.size == 0:
            self.unreadable = Unreadable(reason="empty", detail="the file is empty")
        elif kind in READ and self.upload.size > self.max_text_bytes:
            words = f"it has {self.upload.size} bytes; of a text at most {self.max_text_bytes} are read"
            self.unreadable = Unreadable(reason="too_large", detail=words)
        else:
            self.to_read = kind not in READ | SHOWN

    async def noticed(self, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """The same pieces. Text that is no UTF-8 is read by who knows encodings, an image that is none by nobody."""
        content = Content(self.upload)
        async for piece in pieces:
            content.add(piece)
            yield piece
        content.end()
        if self.proposed == "evidence" and content.text:
            read = await asyncio.to_thread(role_of_text, content.text)
            self.proposed = read or self.proposed
        if self.proposed == "internal" and self.upload.media_type == "text/plain" and self.unreadable is None:
            # A mail that was saved as text is read as one: its headers are no text.
            self.to_read = True
        if content.problem is None or self.unreadable is not None:
            return
        if self.upload.media_type in READ:
            self.to_read = True
        else:
            self.unreadable = Unreadable(reason="wrong_suffix", detail=content.problem.message)


def problem_of_ref(upload: UploadRef, field: str, max_bytes: int) -> Problem | None:
    """What is wrong with an upload as it is described, if anything."""
    if not _MEDIA_TYPE.fullmatch(upload.media_type):
        return Problem.of("media_type_malformed", field)
    if upload.size > max_bytes:
        return Problem.of("file_too_large", field, name=upload.name, size=upload.size, max_size=max_bytes)
    return None


def problem_of_text(upload: UploadRef, field: str, max_bytes: int) -> Problem | None:
    """What is wrong with an upload that is to be a text, as it is described."""
    return (
        Problem.of("text_not_markdown", field)
        if upload.media_type != MARKDOWN
        else _not_empty(upload, field, max_bytes)
    )


def problem_of_image(upload: UploadRef, field: str, max_bytes: int) -> Problem | None:
    """What is wrong with an upload that is to be an image, as it is described."""
    if upload.media_type not in SHOWN:
        known = ", ".join(sorted(SHOWN))
        return Problem.of("media_type_not_shown", field, media_type=upload.media_type[:64], known=known)
    return _not_empty(upload, field, max_bytes)


def _not_empty(upload: UploadRef, field: str, max_bytes: int) -> Problem | None:
    if upload.size == 0:
        return Problem.of("file_empty", field, name=upload.name)
    return problem_of_ref(upload, field, max_bytes)


def problems_of_inputs(uploads: Sequence[UploadRef], limits: Limits) -> list[Problem]:
    return [*_problems_by_file(uploads, limits), *_problems_together(uploads, limits)]


def _problems_by_file(uploads: Sequence[UploadRef], limits: Limits) -> Iterator[Problem]:
    seen: set[str] = set()
    for number, upload in enumerate(uploads):
        if upload.name in seen:
            yield Problem.of("file_name_duplicate", f"inputs.{number}.name", name=upload.name)
        seen.add(upload.name)
        if problem := problem_of_ref(upload, f"inputs.{number}", limits.max_input_bytes):
            yield problem


def _problems_together(uploads: Sequence[UploadRef], limits: Limits) -> Iterator[Problem]:
    if sum(upload.size for upload in uploads) > limits.max_inputs_bytes:
        yield Problem.of("inputs_too_large", "inputs", max_size=limits.max_inputs_bytes)
    if listed(as_input(upload, "evidence") for upload in uploads) > MAX_LIST_BYTES:
        yield Problem.of("files_too_many", "inputs")


async def checked(pieces: AsyncIterator[bytes], upload: UploadRef) -> AsyncIterator[bytes]:
    """The same pieces; raises `NotWhatItSays` for an image of another kind and for text that is none."""
    content = Content(upload)
    async for piece in pieces:
        content.add(piece)
        if content.problem:
            raise NotWhatItSays(content.problem)
        yield piece
    content.end()
    if content.problem:
        raise NotWhatItSays(content.problem)


async def not_blank(pieces: AsyncIterator[bytes], name: str) -> AsyncIterator[bytes]:
    """The same pieces; raises `NotWhatItSays` if there is nothing but white space in them."""
    blank = True
    async for piece in pieces:
        blank = blank and not piece.strip()
        yield piece
    if blank:
        raise NotWhatItSays(Problem.of("text_blank", name=name))


class Content:
    """A content as it comes by; ``problem`` says why it is not of its media type, as soon as that is known.

    ``text`` is the beginning of what is text.
    """

    def __init__(self, upload: UploadRef) -> None:
        self.problem: Problem | None = None
        self._upload, media_type = upload, upload.media_type
        self._signatures = _SIGNATURES.get(media_type)
        self._decoder = codecs.getincrementaldecoder("utf-8")() if media_type in READ else None
        self._begin = b""
        self.text = ""

    def add(self, piece: bytes) -> None:
        if self._signatures and len(self._begin) < _LONGEST_SIGNATURE:
            self._begin = (self._begin + piece)[:_LONGEST_SIGNATURE]
        self._decode(piece)
        if self._decoder and b"\0" in piece:
            self.problem = self.problem or Problem.of("content_with_nul", name=self._upload.name)

    def end(self) -> None:
        self._decode(b"", final=True)
        if self._signatures and not self._begin.startswith(self._signatures):
            about = {"name": self._upload.name, "media_type": self._upload.media_type}
            self.problem = Problem.of("content_type_mismatch", **about)

    def _decode(self, piece: bytes, *, final: bool = False) -> None:
        if self._decoder is None or self.problem:
            return
        try:
            text = self._decoder.decode(piece, final)
            self.text += text[: _SEEN_CHARACTERS - len(self.text)]
        except UnicodeDecodeError:
            self.problem = Problem.of("content_not_utf8", name=self._upload.name)

"""What may be an input of a document: its kind, its size, and that it is what it says."""

from __future__ import annotations

import codecs
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass

from stemma_contracts.media import MEDIA_TYPE_PATTERN, READ, SHOWN
from stemma_contracts.v1.answers import Problem
from stemma_contracts.v1.references import ArtifactRef, InputFile, UploadRef

_MEDIA_TYPE = re.compile(MEDIA_TYPE_PATTERN)
_SIGNATURES = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
}
_LONGEST_SIGNATURE = 8
MAX_LIST_BYTES = 40 * 1024
"""What the list of inputs may take up in an event and in every job of a section."""


class NotWhatItSays(ValueError):
    """The content of an upload does not fit its media type; the message says why."""


@dataclass(frozen=True)
class Limits:
    """Sizes in bytes that inputs are held to: one of them, all of a request, one that is read, and a brief."""

    max_input_bytes: int
    max_inputs_bytes: int
    max_text_input_bytes: int
    max_brief_bytes: int

    def of_input(self, media_type: str) -> int:
        """How large an input may be; one that is read is held in memory by those who read it."""
        return min(self.max_text_input_bytes, self.max_input_bytes) if media_type in READ else self.max_input_bytes


def problem_of_ref(upload: UploadRef, max_bytes: int) -> str | None:
    """What is wrong with an upload as it is described, if anything."""
    if not _MEDIA_TYPE.fullmatch(upload.media_type):
        return "its media_type must look like text/markdown, in small letters"
    if upload.media_type.startswith("image/") and upload.media_type not in SHOWN:
        return f"{upload.media_type} cannot be shown in a document; these can: {', '.join(sorted(SHOWN))}"
    if upload.size == 0:
        return f"{upload.name} is empty"
    if upload.size > max_bytes:
        return f"{upload.name} has {upload.size} bytes; at most {max_bytes} are taken"
    return None


def problems_of_inputs(uploads: Sequence[UploadRef], limits: Limits) -> list[Problem]:
    """All that is wrong with the inputs of a request as they are described."""
    return [*_problems_by_file(uploads, limits), *_problems_together(uploads, limits)]


def _problems_by_file(uploads: Sequence[UploadRef], limits: Limits) -> Iterator[Problem]:
    seen: set[str] = set()
    for number, upload in enumerate(uploads):
        if upload.name in seen:
            yield Problem(field=f"inputs.{number}.name", message=f"{upload.name!r} is there twice")
        seen.add(upload.name)
        if words := problem_of_ref(upload, limits.of_input(upload.media_type)):
            yield Problem(field=f"inputs.{number}", message=words)


def _problems_together(uploads: Sequence[UploadRef], limits: Limits) -> Iterator[Problem]:
    if sum(upload.size for upload in uploads) > limits.max_inputs_bytes:
        yield Problem(field="inputs", message=f"the inputs have more than {limits.max_inputs_bytes} bytes together")
    if sum(len(as_input(upload).model_dump_json()) for upload in uploads) > MAX_LIST_BYTES:
        yield Problem(field="inputs", message="too many files, or too long names, for one document")


def reference(upload: UploadRef) -> ArtifactRef:
    """The artifact that an upload becomes."""
    return ArtifactRef(digest=upload.digest, size=upload.size, media_type=upload.media_type, name=upload.name)


def as_input(upload: UploadRef) -> InputFile:
    """The input that an upload becomes."""
    return InputFile(name=upload.name, artifact=reference(upload))


async def checked(pieces: AsyncIterator[bytes], media_type: str) -> AsyncIterator[bytes]:
    """The same pieces; raises `NotWhatItSays` for an image of another kind and for text that is none."""
    signatures, decoder = _SIGNATURES.get(media_type), codecs.getincrementaldecoder("utf-8")()
    begin = b""
    async for piece in pieces:
        if signatures and len(begin) < _LONGEST_SIGNATURE:
            begin = (begin + piece)[:_LONGEST_SIGNATURE]
        if media_type in READ:
            _check_text(decoder, piece)
        yield piece
    if signatures and not begin.startswith(signatures):
        raise NotWhatItSays(f"the content is not {media_type}")
    if media_type in READ:
        _check_text(decoder, b"", final=True)


async def not_blank(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same pieces; raises `NotWhatItSays` if there is nothing but white space in them."""
    blank = True
    async for piece in pieces:
        blank = blank and not piece.strip()
        yield piece
    if blank:
        raise NotWhatItSays("the text is blank")


def _check_text(decoder: codecs.IncrementalDecoder, piece: bytes, *, final: bool = False) -> None:
    try:
        decoder.decode(piece, final)
    except UnicodeDecodeError:
        raise NotWhatItSays("the content is not UTF-8 text") from None
    if b"\0" in piece:
        raise NotWhatItSays("the content is not UTF-8 text: it holds a NUL")

"""What may be an input of a document: its kind, its size, and that it is what it says."""

from __future__ import annotations

from stemma_contracts.v1.values import UploadRef

MEDIA_TYPES = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".txt": "text/plain",
    ".csv": "text/csv",
    ".json": "application/json",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}
_SIGNATURES = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
}
_TEXT = ("text/markdown", "text/plain", "text/csv", "application/json")


def problem_of_ref(upload: UploadRef, max_bytes: int) -> str | None:
    """What is wrong with an upload as it is described, if anything."""
    if upload.media_type not in MEDIA_TYPES.values():
        known = ", ".join(sorted(set(MEDIA_TYPES.values())))
        return f"{upload.media_type!r} cannot be an input; these can: {known}"
    if upload.size == 0:
        return "the file is empty"
    if upload.size > max_bytes:
        return f"the file has {upload.size} bytes; at most {max_bytes} are taken"
    return None


def problem_of_content(upload: UploadRef, data: bytes) -> str | None:
    """What is wrong with the content of an upload, if anything."""
    signatures = _SIGNATURES.get(upload.media_type)
    if signatures and not data.startswith(signatures):
        return f"the content is not {upload.media_type}"
    if upload.media_type in _TEXT and not is_text(data):
        return "the content is not UTF-8 text"
    return None


def is_text(data: bytes) -> bool:
    """Whether the bytes are UTF-8 without NUL."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in data

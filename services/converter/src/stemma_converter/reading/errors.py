"""Why a file cannot be read."""

from __future__ import annotations


class Unreadable(Exception):
    """The file cannot be read; it stays attached.

    ``reason`` is one of the keys of `WORDS`. ``words`` say to a person what it is and what to do.
    """

    def __init__(self, reason: str, **values: object) -> None:
        self.reason = reason
        self.words = WORDS[reason].format(**values)
        super().__init__(reason, self.words)

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self.reason, self.words)


WORDS = {
    "empty": "The file is empty: nothing is in it. Attach it again from where it came.",
    "password": "The file is locked with a password. Save a copy without one and attach that.",
    "macros": "The file holds macros, which are not let in. Save it without macros (as {instead}) and attach that.",
    "old_office": "The file is in the format of Office before 2007. Save it as {instead} and attach that.",
    "wrong_suffix": "The name ends in .{suffix}, but the content is nothing of that kind. Attach the file as it was "
    "made, or export it anew.",
    "unknown": "This kind of file cannot be read. Save it as PDF, DOCX, XLSX or text and attach that.",
    "archive": "The file is an archive. Unpack it and attach the files that are in it.",
    "too_large": "The file has {size} MB; at most {most} MB are read. Split it, or leave out large images.",
    "too_many_pixels": "The image has {size} megapixels; at most {most} are read. Save it smaller.",
    "bomb": "Unpacked, the file would have {size} MB; at most {most} MB are read. It is either made to do harm, or "
    "holds very large images or tables: split it.",
    "entities": "The file defines entities of XML, which documents do not need and attacks use. Export it anew.",
    "damaged": "The file is damaged: it cannot be opened as {kind}. Export it anew, or attach it as PDF.",
    "no_text": "No text was found in the file. {advice}",
}


def _restored(reason: str, words: str) -> Unreadable:
    error = Unreadable.__new__(Unreadable)
    error.reason, error.words = reason, words
    Exception.__init__(error, reason, words)
    return error

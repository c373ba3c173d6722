"""What can be wrong with a document that is to be converted."""

from __future__ import annotations


class ConversionError(Exception):
    """The document cannot be converted; ``code`` says why in one word and holds no text of it."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code

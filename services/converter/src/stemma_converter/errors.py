"""What can be wrong with a document that is to be converted."""

from __future__ import annotations

from stemma_contracts.v1.answers import Problem

_WITH_REASON = {"timeout": "conversion_timeout", "out_of_memory": "conversion_out_of_memory"}
_WITHOUT = {"nested_too_deeply": "conversion_too_deep", "source_too_large": "conversion_too_large"}


class ConversionError(Exception):
    """The document cannot be converted; ``code`` says why in one word and holds no text of it.

    ``program`` is what failed if one did, and ``exit_code`` how it ended: negative for a signal, None if it was killed
    because its time was up. ``why`` says more where there is more to say, such as which limit it was.
    """

    def __init__(self, code: str, program: str | None = None, exit_code: int | None = None, why: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.program = program
        self.exit_code = exit_code
        self.why = why

    @property
    def detail(self) -> str:
        return f"{self.code}: {self.why}" if self.why else self.code

    @property
    def problem(self) -> Problem:
        if code := _WITHOUT.get(self.code):
            return Problem.of(code)
        code = _WITH_REASON.get(self.code)
        return Problem.of(code, reason=self.why) if code else Problem.of("conversion_failed", reason=self.detail)

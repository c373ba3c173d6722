"""Why a form cannot be read or filled, in words for people."""

from __future__ import annotations


class FormError(ValueError):
    """A file or an answer that is refused; the message says why."""


class UnreadableForm(FormError):
    """The file is no form that can be read: damaged, protected by a password, with macros, or too large."""


class AnswersRefused(FormError):
    """Answers that the form does not accept; ``reasons`` has one sentence for each."""

    def __init__(self, reasons: tuple[str, ...]) -> None:
        super().__init__(" ".join(reasons))
        self.reasons = reasons

"""The ways in which a model call fails for good."""

from __future__ import annotations

from stemma_contracts.v1.values import Usage


class ModelError(Exception):
    """A model call that gave nothing; ``detail`` says why without any text of a document."""

    def __init__(self, detail: str, usage: Usage) -> None:
        super().__init__(detail)
        self.detail = detail[:300]
        self.usage = usage


class ModelUnavailableError(ModelError):
    """The model did not answer within the bounds of the retries and the time limit."""


class MalformedAnswerError(ModelError):
    """The answers did not fit, also after the model was told what was wrong with them."""

"""The ways in which a model call fails for good."""

from __future__ import annotations

from stemma_contracts.v1.usage import Usage


class UnfinishedAnswer(ConnectionError):
    """The provider ended an answer, or fell silent, before it was whole: worth another attempt."""


class UnreadableAnswer(Exception):
    """The provider answers in a format that LiteLLM does not read, and would do so again."""

    def __init__(self) -> None:
        super().__init__(
            "its answers are not in OpenAI's format, such as lists of parts: name the model by its own provider"
        )


class ModelError(Exception):
    """A model call that gave nothing; ``detail`` says why without any text of a document."""

    def __init__(self, detail: str, usage: Usage) -> None:
        super().__init__(detail)
        self.detail = detail[:300]
        self.usage = usage


class ModelUnavailableError(ModelError):
    """The model did not answer within the bounds of the retries and the time limit."""


class ContextTooLongError(ModelError):
    """The prompt is longer than the model holds; it was not sent, or the provider refused it.

    ``prompt_tokens`` is a rough count, ``context_tokens`` what the model holds, prompt and answer; 0: not known.
    ``answer_tokens`` is 0 where the provider has refused the prompt.
    """

    def __init__(self, model: str, prompt_tokens: int, context_tokens: int, answer_tokens: int, usage: Usage) -> None:
        room = f", of which the answer needs {answer_tokens}" if answer_tokens else ""
        held = f"{context_tokens} tokens{room}" if context_tokens else "fewer"
        told = f"the prompt has about {prompt_tokens} tokens and {model[:80]} holds {held}"
        super().__init__(f"{told}: take one that holds more (CONTEXT_TOKENS), or less input (MAX_INPUT_CHARS)", usage)
        self.prompt_tokens = prompt_tokens
        self.context_tokens = context_tokens


class MalformedAnswerError(ModelError):
    """The answers did not fit, also after the model was told what was wrong with them."""

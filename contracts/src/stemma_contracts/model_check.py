"""What a model was seen to do when it was asked, as ``--check-model`` of a service prints it."""

from pydantic import BaseModel, ConfigDict, Field, computed_field

from .v1.usage import Usage

RIGHT_AT_LEAST = 3
"""Of four questions: a model that guesses gets so far one time in twenty."""


class ModelCheck(BaseModel):
    """What a model can do, and what it costs; ``problem`` says why it could not be asked."""

    model_config = ConfigDict(frozen=True)

    model: str
    problem: str = ""
    context: int | None = Field(default=None, description="tokens that it holds, prompt and answer")
    schema_followed: bool = False
    right: int = Field(default=0, description="questions for which it chose the true sentence")
    questions: int
    stops: bool = False
    tools: bool = False
    streams: bool = False
    cached_tokens: int = 0
    tokens_a_second: float = 0.0
    calls_at_a_time: int = 1
    dollars_a_million: tuple[float, float] | None = Field(default=None, description="read and written")
    usage: Usage = Usage()

    @computed_field  # type: ignore[prop-decorator]
    @property
    def can_write(self) -> bool:
        """Whether its drafts are worth reading; else Stemma quotes."""
        return not self.problem and self.schema_followed and self.stops and self.right >= RIGHT_AT_LEAST

"""Words for people with the code that says the same to programs, and to people of another language."""

from pydantic import Field

from stemma_contracts.base import Contract


class Coded(Contract):
    """Something with a sentence of the catalogue of problems; without a code its words are all that is known."""

    code: str = Field(default="", description="of the words, as a `Problem` has it")
    params: dict[str, str | int | float] = Field(default={}, description="what the sentence of the code names")

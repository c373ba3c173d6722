"""What was merged of two texts that were made of one."""

from pydantic import Field

from stemma_contracts.base import Contract

from .references import ArtifactRef


class MergeConflict(Contract):
    """What both changed, each in its own way; what is not there is empty.

    ``ours``, which a person made, stands in the merged text from ``start`` to ``end``, in characters; ``theirs`` does
    not stand in it.
    """

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    base: str = ""
    ours: str = ""
    theirs: str = ""


class MergeConflicts(Contract):
    """The body of a conflicts artifact, in the order of the text."""

    conflicts: tuple[MergeConflict, ...] = ()


class Merge(Contract):
    """What a machine wrote, ``theirs``, is merged with what people wrote and deleted, which stays where both changed.

    Conflicts are open until a person gives the section a text.
    """

    theirs: ArtifactRef
    conflicts: ArtifactRef | None = Field(default=None, description="MergeConflicts as JSON; absent: there are none")
    count: int = Field(default=0, ge=0, description="how many conflicts there are")

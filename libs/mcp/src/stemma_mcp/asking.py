"""Tools that are one request each: each is made of its contract, whose fields are its arguments."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from inspect import Parameter, Signature, getdoc
from typing import Annotated, Any, Literal, NamedTuple

from mcp.types import ToolAnnotations
from pydantic import Field
from stemma_client.client import Client
from stemma_contracts import registry
from stemma_contracts.tokens import TOKEN_PATTERN, FileName
from stemma_contracts.v1 import requests as r
from stemma_contracts.v1.budgets import Budget
from stemma_contracts.v1.comments import MOST_COMMENTS, NewComment
from stemma_contracts.v1.ledger import LedgerWarning, RequirementDecision
from stemma_contracts.v1.references import UploadRole

from stemma_mcp.answers import accepted

from . import arguments
from .answers import Accepted
from .clients import asked, content_of, uploaded
from .tools import ADDS, ADDS_ONCE, ENDS, Function

ARGUMENTS: Mapping[str, Any] = {
    "document_id": arguments.DocumentId,
    "question": Annotated[str, Field(pattern=TOKEN_PATTERN, description="Its id, from document_status.")],
    "answer": Annotated[Literal["once", "stop"], Field(description="Write them, or leave them.")],
    "budget": Annotated[Budget, Field(description="All bounds anew; what is absent has none.")],
    "section_id": arguments.SectionId,
    "version": arguments.SeenVersion,
    "sections": arguments.SeenSections,
    "proposal_id": arguments.ProposalId,
    "thread_id": arguments.ThreadId,
    "comment_id": Annotated[str, Field(pattern=TOKEN_PATTERN, description="The id of the comment that suggests.")],
    "input_id": arguments.InputId,
    "role": Annotated[UploadRole, Field(description="What the input is for.")],
    "passage": Annotated[str, Field(min_length=1, max_length=20_000, description="Words of the input.")],
    "replace_edited": arguments.ReplaceEdited,
    "feedback": Annotated[str, Field(min_length=1, max_length=20_000, description="What to change, in words.")],
    "cycle": Annotated[
        bool, Field(description="Have all sections written again; for the last section of a document in cycles.")
    ],
    "instruction": Annotated[
        str, Field(max_length=20_000, description="What the editor is to change; it changes that and nothing else.")
    ],
    "text": Annotated[str, Field(description="The whole new text, in Markdown, in place of an instruction.")],
    "guidance": Annotated[str, Field(max_length=20_000, description="What to do differently, in words.")],
    "restore_version": Annotated[int, Field(ge=1, description="The earlier version whose text comes back.")],
    "sources": Annotated[
        list[FileName],
        Field(max_length=100, description="Requests among the inputs; all of them are read, named or not."),
    ],
    "without_brief": Annotated[bool, Field(description="The brief makes no demands.")],
    "taken_back": Annotated[bool, Field(description="The passage may be quoted again.")],
    "second_opinion": Annotated[
        bool, Field(description="Ask the model of this installation, too, for what the rules do not find.")
    ],
    "decisions": Annotated[
        list[RequirementDecision],
        Field(max_length=1000, description="One for each row; what is not given stays as it is."),
    ],
    "closed": Annotated[
        list[LedgerWarning], Field(max_length=300, description="Warnings of the ledger that a person looked into.")
    ],
}
"""How an agent gives a field of a request; a text is never null."""
_READ_OR_NEW = Annotated[int, Field(ge=0, description="The version that you read; 0 if nothing is written yet.")]
_LEDGER = "list_requirements"
_STAGED = Annotated[int, Field(ge=1, description="The staged version that you read.")]


class Asking(NamedTuple):
    """A tool for a request: what an agent has to know beyond the contract, and the tool that tells what becomes of it.

    ``version`` is how the version is given, if not as that of a section that was read.
    """

    request: type[r.DocumentRequest]
    advice: str = ""
    annotations: ToolAnnotations = ADDS_ONCE
    version: Any = arguments.SeenVersion
    then: str = "document_status"

    @property
    def token(self) -> str:
        """The name of the request; that of the tool has underscores."""
        return registry.entry_of(self.request).token

    def function(self) -> Function:
        async def ask(client: Client, request_id: str, **given: Any) -> Accepted:
            fields = {name: value for name, value in given.items() if value != ""}
            return accepted(await asked(client, self.request, request_id, **fields), self.then)

        about, _, _ = (getdoc(self.request) or "").partition("\n\n")
        ask.__name__, ask.__doc__ = self.token.replace("-", "_"), f"{about} {self.advice}".replace("``", "")
        client = Parameter("client", Parameter.POSITIONAL_OR_KEYWORD, annotation=Client)
        ask.__signature__ = Signature([client, *self._parameters()], return_annotation=Accepted)  # type: ignore[attr-defined]
        return ask

    def _parameters(self) -> Iterator[Parameter]:
        given = {**ARGUMENTS, "version": self.version}
        for name, field in self.request.model_fields.items():
            if name in given:
                default = Parameter.empty if field.is_required() else _plain(field.default)
                yield Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=given[name])
        yield Parameter("request_id", Parameter.KEYWORD_ONLY, default="", annotation=arguments.RequestId)


def _plain(default: Any) -> Any:
    """A default as JSON has it, with an empty text for none."""
    return "" if default is None else list(default) if isinstance(default, tuple) else default


ASKING = (
    Asking(
        r.ApproveSection,
        "Read it first with read_section. The sections that rest on it begin. "
        "It is recorded under the name of whoever runs you.",
    ),
    Asking(r.WithdrawApproval, "Refused, with the sections that it names, once they were written from that version."),
    Asking(r.ReviseSection, "It comes back for review as a new version, in seconds to minutes."),
    Asking(r.AcceptEdit, "version is the one that the edit changes. The sections that rest on it become stale."),
    Asking(r.RejectEdit, "The text stays.", ENDS),
    Asking(r.AcceptSuggestion, "The section is settled with it; what rests on it becomes stale."),
    Asking(r.ResolveThread, "An answer in it opens it again."),
    Asking(
        r.EditSection,
        "A text counts at once. What the editor makes of an instruction to a settled section is proposed: look with "
        "read_section, then accept_edit or reject_edit. The sections that rest on what was changed become stale.",
        version=_READ_OR_NEW,
    ),
    Asking(r.RegenerateSection, "The old version can be restored."),
    Asking(r.KeepSection, "Read first whether its text still holds; what it rests on has to be decided first."),
    Asking(r.RegenerateSections, "All of them, or none."),
    Asking(r.KeepSections, "All of them, each in the version that you read, or none."),
    Asking(r.RestoreSection),
    Asking(r.RetrySection, "If inputs were missing, it fails again until they are there.", ADDS),
    Asking(r.ApplyInput, "Read with read_input first what it changes.", version=_STAGED),
    Asking(r.WithdrawInput, "A staged version is dropped if version is the staged one.", ENDS, arguments.SeenInput),
    Asking(r.SetInputRole, "What is internal is never quoted.", version=arguments.SeenInput, then="list_inputs"),
    Asking(
        r.MarkConfidential,
        "Give its words as read_input has them, or as they were marked.",
        version=arguments.SeenInput,
        then="list_inputs",
    ),
    Asking(r.ReadRequirements, "Rows that are still there keep their ids and what was decided.", then=_LEDGER),
    Asking(r.DecideRequirements, "A merged row says the same as another one.", then=_LEDGER),
    Asking(r.AnswerBudget, "Only as the person you work for decides: it costs money."),
    Asking(r.SetBudget, "Only as the person you work for decides."),
    Asking(r.PauseDocument, "resume_document goes on."),
    Asking(r.ResumeDocument, "It goes on where it stopped."),
    Asking(r.CancelDocument, "This cannot be taken back: to stop it for now, use pause_document.", ENDS),
)


async def assign_section(
    client: Client,
    document_id: arguments.DocumentId,
    section_id: arguments.SectionId,
    assignee: Annotated[str, Field(description="The name of a person; empty: nobody in particular any more.")],
    due: Annotated[datetime | None, Field(description="Until when, with a time zone: 2099-12-01T17:00:00Z.")] = None,
    request_id: arguments.RequestId = "",
) -> Accepted:
    """Ask a person, in place of whoever was asked before, to see to a section and to what waits in it. Nothing is
    locked by this: others may still decide. The time that it is due counts until the section is settled."""
    about = {"document_id": document_id, "section_id": section_id}
    if not assignee:
        return accepted(await asked(client, r.UnassignSection, request_id, **about))
    return accepted(await asked(client, r.AssignSection, request_id, **about, assignee=assignee, due=due))


async def comment_section(
    client: Client,
    document_id: arguments.DocumentId,
    section_id: arguments.SectionId,
    version: Annotated[int, Field(ge=1, description="The version that you read.")],
    comments: Annotated[
        list[NewComment],
        Field(
            min_length=1,
            max_length=MOST_COMMENTS,
            description="Each with its words, and the words of the text that it quotes or the thread that it answers.",
        ),
    ],
    request_id: arguments.RequestId = "",
) -> Accepted:
    """Comment on a section in the version that you read: on words that you quote, on all of it, or in a thread. All
    comments are made together, or none. They change nothing, and stay until somebody resolves them."""
    about = {"document_id": document_id, "section_id": section_id, "version": version}
    made = await client.anchored(document_id, section_id, version, comments)
    return accepted(await asked(client, r.CommentSection, request_id, **about, comments=made))


async def answer_question(
    client: Client,
    document_id: arguments.DocumentId,
    section_id: arguments.SectionId,
    need_id: Annotated[str, Field(pattern=TOKEN_PATTERN, description="The id of the question, from read_section.")],
    answer: Annotated[str, Field(max_length=20_000, description="The answer in words; only what you know.")] = "",
    decisions: Annotated[
        dict[str, str],
        Field(description="By missing image: skip, or the name of an image among the inputs."),
    ] = {},  # noqa: B006
    images: Annotated[dict[str, arguments.GivenFile], Field(description="By missing image: the image itself.")] = {},  # noqa: B006
    heading: Annotated[str, Field(description="With need_id open_heading: that heading.")] = "",
    request_id: arguments.RequestId = "",
) -> Accepted:
    """Answer what a section asks before it can go on: in words, by a decision about each missing image, or both.
    What you do not know, ask the person you work for."""
    contents = {name: content_of(file, f"images.{name}") for name, file in images.items()}
    uploads = {name: await uploaded(client, file, contents[name]) for name, file in images.items()}
    about = {"document_id": document_id, "section_id": section_id, "need_id": need_id}
    given = {"answer": answer, "decisions": {**decisions, **uploads}, "heading": heading}
    return accepted(await asked(client, r.AnswerNeed, request_id, **about, **given))

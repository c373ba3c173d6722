"""The roles of a request that says too little to choose any."""

from __future__ import annotations

from stemma_languages import Words

from .schemas import Role, RoleAnalysis

REASONING = "No roles were chosen for the request, so the usual three write."

DEFAULT_ROLES = (
    Role(
        id="general_writer",
        name="General writer",
        description="Writes a clear and complete text on what was asked.",
        prompt_template="Write what this asks for, as a whole: {user_request}",
        perspective="the reader who wants an answer",
        priority=1,
        confidence=0.5,
    ),
    Role(
        id="editor",
        name="Editor",
        description="Looks at order, clarity and length.",
        prompt_template="Say what a text on this must hold, and in which order: {user_request}",
        perspective="the clarity of the text",
        priority=2,
        confidence=0.5,
    ),
    Role(
        id="content_strategist",
        name="Content strategist",
        description="Looks at purpose and readers.",
        prompt_template="Say whom a text on this is for and what it is to bring about: {user_request}",
        perspective="the purpose of the text",
        priority=3,
        confidence=0.5,
    ),
)


def default_analysis(words: Words, reasoning: str = "") -> RoleAnalysis:
    """The default roles in the document's language, with the analyzer's own reasoning if it gave one."""
    names = (words.general_writer, words.editor, words.content_strategist)
    roles = [role.model_copy(update={"name": name}) for role, name in zip(DEFAULT_ROLES, names, strict=True)]
    return RoleAnalysis(identified_roles=roles, reasoning=reasoning or REASONING)

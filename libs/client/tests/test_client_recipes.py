"""A text that would be made otherwise today is told apart from a stale one."""

from typing import Any

import pytest
from stemma_client import DocumentView
from stemma_client.recipes import Recipes, outdated_recipe
from stemma_contracts import subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.capabilities import Capabilities
from stemma_contracts.v1.provenance import Origin, Provenance
from stemma_contracts.v1.references import ArtifactRef

OLD, NEW = "0" * 64, "1" * 64
TEXT = ArtifactRef(digest="b" * 64, size=1, media_type="text/markdown", name="x.md")
AGENT = "generation-graph/1.0"
MADE = Provenance(model="offline", prompt_digest=OLD, criteria_digest=OLD, agent_version=AGENT)
REVISED = Provenance(model="offline", prompt_digest=OLD, agent_version="editor-agent/1.0")


def recipes(today: Provenance = MADE, kind: str = "research") -> Recipes:
    others = MADE.model_copy(update={"model": "another"})
    generation = Capabilities(recipes={"section": {kind: today, "default": others}})
    editor = Capabilities(recipes={"default": {"default": REVISED.model_copy(update={"prompt_digest": NEW})}})
    return {subjects.GENERATION: generation, subjects.EDITOR: editor}


@pytest.fixture
def made(drafted: Any) -> e.SectionDrafted:
    event: e.SectionDrafted = drafted("research").model_copy(update={"provenance": MADE})
    return event


def outdated(view: DocumentView, today: Recipes) -> tuple[str, ...]:
    return outdated_recipe(view.sections["research"], today)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({}, ()),
        ({"prompt_digest": NEW}, ("prompt",)),
        ({"criteria_digest": NEW, "model": "larger"}, ("model", "criteria")),
        ({"agent_version": "generation-graph/1.1"}, ()),
    ],
)
def test_what_would_be_another_today_is_named(
    after: Any, made: Any, change: dict[str, str], told: tuple[str, ...]
) -> None:
    assert outdated(after(made), recipes(MADE.model_copy(update=change))) == told


def test_a_kind_without_a_recipe_of_its_own_is_held_against_the_default(after: Any, made: Any) -> None:
    assert outdated(after(made), recipes(kind="solution")) == ("model",)


def test_what_was_not_noted_or_is_not_told_is_no_difference(after: Any, made: Any) -> None:
    unknown = made.model_copy(update={"provenance": MADE.model_copy(update={"criteria_digest": None})})
    assert outdated(after(unknown), recipes()) == ()
    assert outdated(after(made), {}) == ()
    assert outdated(after(), recipes()) == ()


def test_a_revision_is_held_against_its_editor_and_a_persons_text_against_nothing(after: Any, made: Any) -> None:
    revised = e.SectionEdited(
        section_id="research", version=2, draft=TEXT, origin=Origin.EDITED, job_id="j", provenance=REVISED
    )
    written = e.SectionEdited(section_id="research", version=2, draft=TEXT, origin=Origin.WRITTEN, actor="ana")
    assert outdated(after(made, revised), recipes()) == ("prompt",)
    assert outdated(after(made, written), recipes()) == ()

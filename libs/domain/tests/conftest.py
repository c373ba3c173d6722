from collections.abc import Callable

import pytest
from domain_story import Story
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.views import DocumentView
from stemma_testkit.document_events import document_requested, review_requested, section_drafted, view_after


@pytest.fixture
def requested() -> e.DocumentRequested:
    return document_requested()


@pytest.fixture
def after(requested: e.DocumentRequested) -> Callable[..., DocumentView]:
    """The view after a document was requested and these events came, a minute apart."""

    def folded(*events: e.AnyEvent) -> DocumentView:
        begun = () if events and isinstance(events[0], e.DocumentRequested) else (requested,)
        return view_after(*begun, *events)

    return folded


@pytest.fixture
def drafted() -> Callable[..., e.SectionDrafted]:
    return section_drafted


@pytest.fixture
def reviewable() -> Callable[..., e.SectionReviewRequested]:
    return review_requested


@pytest.fixture
def story() -> Story:
    """A story in which nothing was requested yet."""
    return Story()


@pytest.fixture
def begun(story: Story) -> Story:
    """A story whose document was requested."""
    story.create()
    return story

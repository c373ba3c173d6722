"""Fixtures of the orchestrator's tests."""

from __future__ import annotations

import pytest
from orchestrator_story import Story


@pytest.fixture
def story() -> Story:
    """A story in which nothing was requested yet."""
    return Story()


@pytest.fixture
def begun(story: Story) -> Story:
    """A story whose document was requested."""
    story.create()
    return story

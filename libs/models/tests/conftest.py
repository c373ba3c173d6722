"""A provider of models over real HTTP, after a script of its own for each test."""

from collections.abc import Iterator

import pytest
from stemma_testkit.provider import Provider
from stemma_testkit.provider import provider as scripted_provider


@pytest.fixture
def provider() -> Iterator[Provider]:
    with scripted_provider() as running:
        yield running

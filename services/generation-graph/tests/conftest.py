"""Fixtures of the tests of generation-graph."""

import pytest
from generation_workshop import Workshop


@pytest.fixture
def workshop() -> Workshop:
    return Workshop()

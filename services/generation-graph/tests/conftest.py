"""Fixtures of the tests of generation-graph."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

from generation_workshop import Workshop


@pytest.fixture
def workshop() -> Workshop:
    return Workshop()

"""Where in a file a line stands that was read of it."""

from __future__ import annotations

import pytest
from stemma_client.places import Places
from stemma_contracts.v1.inputs import Anchor

TEXT = "# Scope\n\nOn page one.\n\nOn page two.\n"


@pytest.mark.req("I3")
@pytest.mark.parametrize(("line", "label"), [(1, "p. 1"), (3, "p. 1"), (5, "p. 2"), (0, ""), (99, "")])
def test_a_line_stands_at_the_last_place_that_began_before_it_ends(line: int, label: str) -> None:
    anchors = [
        Anchor(offset=TEXT.index("On page two"), kind="page", label="p. 2"),
        Anchor(offset=0, kind="page", label="p. 1"),
        Anchor(offset=0, kind="heading", label="Scope"),
    ]
    assert Places.of(TEXT, anchors).at(line) == label


def test_a_file_without_pages_has_no_such_places() -> None:
    assert Places.of(TEXT, [Anchor(offset=0, kind="heading", label="Scope")]).at(3) == ""

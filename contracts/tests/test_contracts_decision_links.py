"""A link says which decision it is about, for how long; it is no power."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stemma_contracts.tokens import is_token
from stemma_contracts.v1.decision_links import DecisionLink, InvalidLink, Verb, read_link

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def link(**more: Any) -> DecisionLink:
    known = {"tenant": "default", "person": "ada", "document_id": "d1", "section_id": "research", "version": 2}
    return DecisionLink.model_validate({"verb": Verb.APPROVE, "expires_at": NOW + timedelta(days=7), **known, **more})


@pytest.mark.req("H7")
def test_a_link_is_read_as_it_was_made_until_it_expires() -> None:
    made = link()
    assert read_link(made.token, NOW) == made
    assert read_link(made.token, made.expires_at - timedelta(seconds=1)) == made
    with pytest.raises(InvalidLink, match="expired"):
        read_link(made.token, made.expires_at)


@pytest.mark.req("H7")
def test_the_same_decision_is_the_same_request_and_any_other_is_another() -> None:
    others: list[dict[str, Any]] = [
        {"tenant": "other"},
        {"person": "bob"},
        {"document_id": "d2"},
        {"section_id": "budget"},
        {"version": 3},
        {"verb": Verb.REVISE},
    ]
    ids = {link(**other).request_id for other in others}
    assert len(ids | {link().request_id}) == len(others) + 1
    assert link(expires_at=NOW + timedelta(days=8)).request_id == link().request_id
    assert all(map(is_token, ids))


@pytest.mark.req("H7")
@given(st.one_of(st.text(), st.text(alphabet="abcXYZ019-_=", max_size=2000)))
def test_what_is_no_token_is_refused(token: str) -> None:
    with pytest.raises(InvalidLink):
        read_link(token, NOW)


@pytest.mark.req("H7")
def test_a_token_that_was_cut_off_is_refused() -> None:
    token = link().token
    for end in (1, 10, len(token) // 2, len(token) - 1):
        with pytest.raises(InvalidLink):
            read_link(token[:end], NOW)

"""Links in notices: a decision about one version for the person who is told, and for nobody else."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from stemma_contracts import subjects
from stemma_contracts.v1.decision_links import DecisionLink, Verb, read_link
from stemma_contracts.v1.notifications import Occasion
from stemma_messaging import BadSettings
from stemma_notifier.app import service
from stemma_notifier.notices import REVIEWS, Links, NoticedSection

from .conftest import notice

LINKS = Links("https://stemma.example/in/", timedelta(days=2))


@pytest.mark.req("H7")
@pytest.mark.parametrize("event", REVIEWS)
def test_a_person_gets_a_link_for_each_decision_about_the_version_that_waits(event: str) -> None:
    found = LINKS.of(notice(event=event))
    assert list(found) == ["approve", "revise"]
    for verb, link in found.items():
        base, _, token = link.rpartition("/")
        assert base == "https://stemma.example/in/decide"
        assert read_link(token, datetime(2026, 3, 1, 12, tzinfo=UTC)) == DecisionLink(
            tenant="default",
            person="ada",
            document_id="d1",
            section_id="research",
            version=1,
            verb=Verb(verb),
            expires_at=datetime(2026, 3, 3, 12, tzinfo=UTC),
        )


@pytest.mark.req("H7")
@pytest.mark.parametrize(
    "other",
    [
        {"event": "section-edit-proposed"},
        {"owner": subjects.PROGRAMS},
        {"version": None},
        {"occasion": Occasion.TEST, "event": "", "document_id": None, "sections": ()},
        {"sections": [NoticedSection(section_id=name) for name in ("a", "b")]},
    ],
)
def test_there_is_no_link_where_no_person_has_a_review_to_decide(other: dict[str, Any]) -> None:
    assert LINKS.of(notice(**{"event": REVIEWS[0]} | other)) == {}
    assert Links().of(notice(event=REVIEWS[0])) == {}, "without an address of a gateway"


@pytest.mark.req("H7")
@pytest.mark.parametrize("base", ["stemma.example", "javascript:alert(1)", "https://x/?a=b", "https://x y"])
def test_what_is_no_address_is_refused_at_the_start(base: str) -> None:
    with pytest.raises(BadSettings, match="link_base"):
        service.load_settings(link_base=base)

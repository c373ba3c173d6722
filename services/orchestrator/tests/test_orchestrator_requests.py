"""Requests as callers write them: read, or refused field by field."""

import json

import domain_asking as asking
import pytest
from domain_story import DOCUMENT, Story, ref
from stemma_contracts import MAX_REQUEST_BYTES
from stemma_contracts.v1.answers import RequestAccepted, RequestRejected
from stemma_contracts.v1.requests import ApproveSection, CreateDocument, SeenVersion
from stemma_messaging import InvalidMessage
from stemma_orchestrator.answers import answer_of
from stemma_orchestrator.requests import Received, read_request

SUBJECT = "stemma.request.v1.default.create-document"


UPLOAD = {"object_name": "0" * 64, "digest": "0" * 64, "size": 3, "media_type": "text/markdown", "name": "brief.md"}
SECTION = {"document_id": "d", "section_id": "s"}
PAIR = {"section_id": "s", "from_version": 1, "to_version": 2}


def read(body: object, headers: dict[str, str] | None = None, subject: str = SUBJECT) -> Received:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return read_request(subject, headers or {}, data, 7)


@pytest.mark.req("E3")
def test_reads_a_plain_json_body_without_headers() -> None:
    received = read({"kind": "proposal", "brief": "Write.", "request_id": "mine"})
    assert isinstance(received.request, CreateDocument)
    assert (received.tenant, received.asked["request_id"]) == ("default", "mine")


@pytest.mark.req("E3")
@pytest.mark.parametrize(
    ("field", "hint"),
    [("brief", "send it as brief_upload"), ("nonsense", "make it shorter"), ("brief\ud800", "shorter")],
)
def test_refuses_a_request_that_is_larger_than_contracts_allow_naming_the_longest_field(field: str, hint: str) -> None:
    body = {"kind": "proposal", "request_id": "mine", "brief": "Write."}
    fits = MAX_REQUEST_BYTES - len(json.dumps({**body, field: ""}))
    if field == "brief":
        assert read({**body, field: "x" * fits}).request is not None
    received = read({**body, field: "x" * (fits + 1)})
    [problem] = received.problems
    assert (problem.field.startswith(field[:5]), received.asked["request_id"]) == (True, "mine")
    assert (f"at most {MAX_REQUEST_BYTES} are taken" in problem.message, hint in problem.message) == (True, True)


@pytest.mark.req("E3", "S6")
def test_refuses_more_values_than_a_request_can_have() -> None:
    received = read({"kind": "proposal", "request_id": "mine", "inputs": [0] * 20_000})
    assert ([problem.code for problem in received.problems], received.asked["request_id"]) == (
        ["body_values_too_many"],
        "mine",
    )


@pytest.mark.req("E3")
def test_reads_a_media_type_in_any_case() -> None:
    """It has none (RFC 2045)."""
    received = read({"kind": "proposal", "brief_upload": {**UPLOAD, "media_type": "Text/Markdown"}})
    assert isinstance(received.request, CreateDocument)
    assert received.request.brief_upload is not None
    assert received.request.brief_upload.media_type == "text/markdown"


@pytest.mark.req("E3")
def test_documents_of_two_tenants_have_two_ids_also_for_the_same_request_id() -> None:
    body = {"kind": "proposal", "brief": "Write.", "request_id": "same"}
    subjects = (f"stemma.request.v1.{tenant}.create-document" for tenant in ("default", "other"))
    assert len({read(body, subject=subject).document_id for subject in subjects}) == 2


@pytest.mark.req("E3")
def test_an_id_is_the_callers_or_made_from_the_sequence_and_one_as_they_are_made_here_is_refused() -> None:
    assert read({"kind": "proposal", "brief": "Write."}).asked["request_id"] == "seq-7"
    assert read({"request_id": "mine"}).asked["request_id"] == "mine"
    assert read({"request_id": "a*b"}).asked["request_id"] == "seq-7"
    received = read({"kind": "proposal", "brief": "Write.", "request_id": "seq-9"})
    assert (received.request, [problem.field for problem in received.problems]) == (None, ["request_id"])
    assert received.asked["request_id"] == "seq-7"


@pytest.mark.req("E3")
@pytest.mark.parametrize("version", [{"version": True}, {"version": "1"}, {"version": 1.0}, {}])
def test_a_decision_is_bound_to_a_version_which_is_an_integer(version: dict[str, object]) -> None:
    subject, body = "stemma.request.v1.default.approve-section", {"document_id": "doc", "section_id": "research"}
    received = read(body | version, subject=subject)
    assert (received.request, [problem.field for problem in received.problems]) == (None, ["version"])
    assert isinstance(read(body | {"version": 2}, subject=subject).request, ApproveSection)


@pytest.mark.req("E3", "P19")
def test_names_unknown_fields_inside_of_an_outline_and_of_other_values() -> None:
    outline = [{"title": "Budget"}, {"title": "Team", "max_word": 500}]
    received = read({"kind": "proposal", "brief": "x", "outline": outline, "review": {"mode": "human", "score": 1}})
    assert received.request is not None
    assert received.ignored_fields == ("outline.1.max_word", "review.score")
    refused = read({"kind": "proposal", "outline": outline})
    assert (refused.request, refused.ignored_fields) == (None, ("outline.1.max_word",))


@pytest.mark.req("E3")
@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b"not json", ""),
        (b"[1]", ""),
        (b"\xff\xfe", ""),
        (b"[" * 50_000, ""),
        ({"brief": "Write."}, "kind"),
        ({"kind": "pro*posal", "brief": "Write."}, "kind"),
        ({"kind": "proposal"}, "brief"),
        ({"kind": "proposal", "brief": "  "}, "brief"),
        ({"kind": "proposal", "brief": "x", "brief_upload": UPLOAD}, "brief_upload"),
        ({"kind": "proposal", "brief": 3}, "brief"),
        ({"kind": "proposal", "brief": "x", "inputs": [{"object_name": "a"}]}, "inputs.0.digest"),
        ({"kind": "proposal", "brief": "x", "request_id": "a.b"}, "request_id"),
    ],
)
@pytest.mark.failure("bad-request")
def test_refuses_what_it_cannot_use_and_names_the_field(body: object, field: str) -> None:
    received = read(body)
    assert received.request is None
    assert field in [problem.field for problem in received.problems]


@pytest.mark.req("E3")
@pytest.mark.failure("bad-request")
@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ({"kind": "proposal", "brieff": "Write."}, "brief"),
        ({"kind": "proposal", "brief": "Write.", "brieff": "x", "request_id": "seq-9"}, "request_id"),
    ],
)
def test_what_is_refused_has_its_unknown_fields_beside_what_is_wrong(body: object, wrong: str) -> None:
    received = read(body)
    assert received.request is None
    assert [problem.field for problem in received.problems] == [wrong]
    assert received.ignored_fields == ("brieff",)


@pytest.mark.req("E3")
def test_names_only_so_many_unknown_fields_and_whatever_they_hold_can_be_answered() -> None:
    body = b'{"kind": "proposal", "brief": "x", "\\ud800": 1' + b"".join(b', "k%d": 1' % i for i in range(4000)) + b"}"
    received = read(body)
    assert received.request is not None
    assert len(received.ignored_fields) == 20
    "".join(received.ignored_fields).encode()


@pytest.mark.parametrize("subject", ["stemma.request.v1.a%1.sing", "stemma.request.v1.sing", "stemma.job.v1.a.b"])
def test_a_subject_under_which_nobody_could_be_answered_is_no_message_of_ours(subject: str) -> None:
    with pytest.raises(InvalidMessage):
        read({}, subject=subject)


@pytest.mark.parametrize(
    ("name", "headers", "field", "said"),
    [
        ("create-document", {"ce-type": "stemma.create.document.v9"}, "ce-type", "stemma.create.document.v1"),
        ("create-document", {"ce-type": "stemma.section.approved.v1"}, "ce-type", ""),
        ("create-document", {"ce-type": "stemma.approve.section.v1"}, "ce-type", ""),
        *((name, {}, "subject", "") for name in ("sing", "create*", "a%1")),
    ],
)
def test_refuses_what_its_subject_or_header_says_to_be_something_else(
    name: str, headers: dict[str, str], field: str, said: str
) -> None:
    received = read({"kind": "proposal", "brief": "x"}, headers, subject=f"stemma.request.v1.default.{name}")
    assert (received.request, received.problems[0].field) == (None, field)
    assert said in received.problems[0].message


@pytest.mark.req("E3")
@pytest.mark.failure("bad-request")
@pytest.mark.parametrize(
    ("name", "body", "problem"),
    [
        ("edit-section", {"version": 1, "text": " \n\t"}, "text: text is blank"),
        ("edit-section", {"version": 1}, "instruction: give exactly one of instruction, text and text_upload"),
        ("edit-section", {"version": 1, "instruction": "x", "text": "x"}, "text: give exactly one of "),
        ("edit-section", {"version": 1, "text": "x", "text_upload": UPLOAD}, "text_upload: give exactly one of "),
        ("answer-need", {"need_id": "n", "answer": " "}, "answer: give answer or decisions"),
        ("answer-need", {"need_id": "n", "answer": "x", "heading": " "}, "heading: give the words of "),
        ("answer-need", {"need_id": "n", "answer": "x", "heading": "A", "decisions": {"a": "skip"}}, "decisions: a "),
        ("export-document", {"format": "pdf", "redline": [PAIR]}, "format: a redline is a docx"),
        ("export-document", {"format": "docx", "redline": [PAIR, PAIR]}, "redline.1.section_id: s is named twice"),
        ("decide-requirements", {"decisions": []}, "decisions: nothing is decided"),
    ],
)
def test_what_does_not_go_together_is_refused_at_one_of_its_fields(
    name: str, body: dict[str, object], problem: str
) -> None:
    received = read(SECTION | body, subject=f"stemma.request.v1.default.{name}")
    assert received.request is None
    [found] = received.problems
    assert f"{found.field}: {found.message}".startswith(problem)


@pytest.mark.req("S4")
@pytest.mark.parametrize("claimed", [{"actor": "bob"}, {"actor": "unknown"}, {}])
def test_who_asks_on_the_subject_of_a_person_is_that_person_and_whom_a_program_names_is_claimed(
    claimed: dict[str, str],
) -> None:
    body = {"kind": "proposal", "brief": "Write."} | claimed
    asked = read(body, subject="stemma.request.v2.default.ada.create-document").asked
    assert (asked["actor"], asked["actor_verified"]) == ("ada", True)
    if claimed:
        asked = read(body).asked
        assert (asked["actor"], asked["actor_verified"]) == (claimed["actor"], False)


@pytest.mark.req("S4")
@pytest.mark.parametrize(
    "subject",
    [
        "stemma.request.v2.default.create-document",
        "stemma.request.v1.default.ada.create-document",
        "stemma.request.v2.default.ada.b.create-document",
        "stemma.request.v2.default.Ada.create-document",
        "stemma.request.v2.default.policy.create-document",
    ],
)
def test_a_subject_of_nobody_is_no_request(subject: str) -> None:
    with pytest.raises(InvalidMessage):
        read({"kind": "proposal", "brief": "Write."}, subject=subject)


@pytest.mark.req("P10", "E3")
def test_a_request_about_several_sections_is_answered_for_all_of_them(begun: Story) -> None:
    begun.settle("research", "solution", "budget")
    begun.ask(asking.write, "research", 1, ref("a person's text"))
    several, one = begun.asked("several"), begun.asked("one")
    seen = tuple(SeenVersion(section_id=name, version=1) for name in ("budget", "solution"))
    begun.when(asking.keep_several(several, seen))
    begun.when(asking.regenerate(one, "budget", 1, None, replace_edited=True))
    answers = [answer_of(Received("default", asked, 7, 0, None, DOCUMENT), begun.state) for asked in (several, one)]
    assert all(isinstance(answer, RequestAccepted) for answer in answers)
    told = [(answer.section_id, answer.section_ids) for answer in answers if isinstance(answer, RequestAccepted)]
    assert told == [(None, ("solution", "budget")), ("budget", ("budget",))]


@pytest.mark.req("P10")
def test_the_answer_says_what_a_section_that_is_to_be_written_anew_waits_for(begun: Story) -> None:
    begun.ask(asking.write, "solution", 0, ref("ours"))
    asked = begun.asked("anew")
    begun.when(asking.regenerate(asked, "solution", 1, None, replace_edited=True))
    answer = answer_of(Received("default", asked, 7, 0, None, DOCUMENT), begun.state)
    assert isinstance(answer, RequestAccepted)
    assert answer.held_up_by == {"solution": ("research",)}


@pytest.mark.req("P10")
def test_a_request_under_the_id_of_another_is_refused_also_when_its_answer_is_gone(begun: Story) -> None:
    first = begun.asked("mine")
    begun.when(asking.write(first, "research", 1, ref("a person's text")))
    received = Received("default", {**first, "request_digest": "1" * 64}, 7, 0, None, DOCUMENT)
    answer = answer_of(received, begun.state)
    assert isinstance(answer, RequestRejected)
    assert [problem.code for problem in answer.problems] == ["request_id_used"]

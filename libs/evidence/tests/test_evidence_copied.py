"""Words of a draft that it has from texts that it may not quote."""

import pytest
from evidence_corpus import source
from stemma_evidence import Whose, copied, dictated

pytestmark = pytest.mark.req("B1")

MAIL = "From: Ada\n\nPlease do not mention the outage of 2016.\nOur lowest price is EUR 9,100; do not go below it.\n"
RFP = (
    "# Request\n\n- The bidder shall report each leak within one day.\n- Say why.\n\n"
    "The Board serves eleven thousand people and it loses fourteen percent of all the water that it buys.\n"
)


def found(draft: str, whose: Whose, text: str, *ours: str) -> list[str]:
    return [one.text for one in copied(draft, [(whose, source(text))], ours)]


def test_six_words_of_an_internal_text_are_found_where_they_stand_in_whatever_dress() -> None:
    draft = "# A\n\nFine.\n\n| A | B |\n| --- | --- |\n| x | **Please** do *not*\u00a0mention the “outage” |\n"
    [one] = copied(draft, [("internal", source(MAIL, name="mail.md"))], ())
    assert (one.text, one.line, one.name, one.source_line) == (
        "Please do not\u00a0mention the “outage",
        7,
        "mail.md",
        3,
    )


@pytest.mark.parametrize(
    ("draft", "found_words"),
    [
        ("Do not mention the outage.", 0),
        ("Please do not mention the outage.", 1),
        ("`please do not mention the outage`", 1),
        ("> Please do not mention the outage.", 1),
        ("Our lowest price is EUR 9,100; then please do not mention the outage.", 2),
        ("## Please do not mention the outage of 2016", 1),
    ],
)
def test_fewer_words_are_none_and_no_title_hides_more(draft: str, found_words: int) -> None:
    assert len(found(f"# A\n\n{draft}\n", "internal", MAIL)) == found_words


def test_what_our_evidence_says_in_the_same_words_is_ours() -> None:
    draft = "# A\n\nOur lowest price is EUR 9,100.\n"
    assert found(draft, "internal", MAIL)
    assert not found(draft, "internal", MAIL, source("We say: our lowest price is EUR 9,100.").wording)


def test_characters_count_where_a_script_has_no_spaces() -> None:
    mail = "二〇一六年の停止については、お客様に話さないでください。"
    assert found("# A\n\n停止については、お客様に話さない。\n", "internal", mail)
    assert not found("# A\n\nお客様に話します。\n", "internal", mail)


def test_a_whole_sentence_of_the_request_or_twelve_of_its_words_are_found() -> None:
    assert found("# A\n\nThe bidder shall report each leak within one day.\n", "request", RFP)
    assert not found("# A\n\nWe know that the bidder shall report each leak soon.\n", "request", RFP)
    part = "the Board serves eleven thousand people and it loses fourteen percent of"
    assert found(f"# A\n\nAs we know, {part} it.\n", "request", RFP) == [part]
    assert not found("# A\n\nThe Board serves eleven thousand people and it loses fourteen.\n", "request", RFP)


def test_a_marked_quotation_of_the_request_is_none_of_its_sentences_as_ours() -> None:
    sentence = "The bidder shall report each leak within one day."
    for draft in (f"You ask: “{sentence}” We do.", f'You ask: "{sentence}"', f"> {sentence}"):
        assert not found(f"# A\n\n{draft}\n", "request", RFP)


def test_a_matrix_quotes_the_demand_that_a_cell_to_its_right_answers() -> None:
    demand = "The bidder shall report each leak within one day."
    head = "# A\n\n| Demand | Met | Answer |\n| --- | --- | --- |\n"
    assert not found(f"{head}| {demand} | ✓ | We report it within an hour. |\n", "request", RFP)
    for row in (f"| {demand} | ✓ | |", f"| Reports | | {demand} |", f"| {demand} | | {demand} |"):
        assert found(f"{head}{row}\n", "request", RFP) == [demand[:-1]]


def test_an_instruction_is_no_name_and_no_title() -> None:
    asked = "Please write to the Ministry of Science, Art and Culture of Rome."
    brief = f"# A bid for the Board of Norden on meters\n\n{asked}\n"
    named = "This is a bid for the Board of Norden on meters, to the Ministry of Science, Art and Culture of Rome."
    assert not found(f"# A\n\n{named}\n", "instruction", brief)
    assert found("# A\n\nPlease write to the Ministry of Science.\n", "instruction", brief)


def test_what_an_instruction_dictates_is_told_apart() -> None:
    words = source("Be brief. Say that the council owns the lawn beside the library. Replace EUR 5 with EUR 7.")
    assert list(dictated(words)) == ["say that the council owns the lawn beside the library", "eur 7"]


@pytest.mark.parametrize(
    ("whose", "foreign"),
    [
        ("internal", "The Platform for all school meals and primary schools is ours to win.\n"),
        ("instruction", "Write a bid for the Platform for all school meals and primary schools.\n"),
    ],
)
def test_what_the_request_says_is_no_secret_and_no_instruction(whose: Whose, foreign: str) -> None:
    request = source("# Platform for all school meals and primary schools\n\nWe want it.\n")
    draft = "# A\n\nWe build the Platform for all school meals and primary schools.\n"
    assert found(draft, whose, foreign)
    assert not copied(draft, [(whose, source(foreign)), ("request", request)], ())


@pytest.mark.parametrize(
    ("draft", "request_text"),
    [
        (
            "We serve the Ministry of Economic Affairs and Climate Action.",
            "Ministry of Economic Affairs and Climate Action",
        ),
        ("We offer meals for all primary schools of the city.", "# Meals for all primary schools of the city"),
        ("当社は統合型校務支援基盤構築運用保守業務委託を行います。", "統合型校務支援基盤構築運用保守業務委託"),
    ],
)
def test_a_name_and_a_title_of_the_request_are_none_of_its_sentences(draft: str, request_text: str) -> None:
    assert not found(f"# A\n\n{draft}\n", "request", f"{request_text}\n\nSay who you are.\n")

"""What the editor reports is what it did, and another change than was asked for is refused."""

import pytest
from stemma_editor_agent.demands import demand_of, unmet
from stemma_editor_agent.reporting import changes_between, summary_of

pytestmark = pytest.mark.req("T6")

DRAFT = """# Budget

The van costs 100 euros. It is blue.

## Milestones

The pilot starts in May.

| what | euros |
|---|---|
| van | 100 |
| sum | 100 |
"""


def refusal(instruction: str, revised: str, language: str = "en") -> str:
    changes = changes_between(DRAFT, revised, language)
    return unmet(demand_of(instruction, language), DRAFT, revised, changes, language)


@pytest.mark.parametrize(
    ("instruction", "old", "new"),
    [
        ("Change 100 to 90", "100", "90"),
        ("Mention the couriers", "in May.", "in May. Couriers carry the crates."),
        ("Say that the pilot is repeated in spring.", "in May.", "in May. The pilot is repeated in spring."),
        ("Shorten the first paragraph", " It is blue.", ""),
        ("Shorten the second sentence", " It is blue.", " Blue."),
        ("Shorten the last section", "starts in May", "starts"),
        ("Shorten the table", "| sum | 100 |\n", ""),
        ("Mention the couriers in the second paragraph.", "in May.", "in May. Couriers carry the crates."),
        ('Replace "van" with "bicycle" everywhere', "van", "bicycle"),
        ("Delete the heading Milestones and what stands below it", "## Milestones\n\nThe pilot starts in May.\n", ""),
        ("Mention the couriers and shorten the rest", "It is blue.", "Couriers ride."),
        ("Paint it in brighter words", "blue", "azure"),
    ],
)
def test_takes_the_change_that_was_asked_for(instruction: str, old: str, new: str) -> None:
    assert refusal(instruction, DRAFT.replace(old, new)) == ""


@pytest.mark.parametrize(
    ("instruction", "old", "new", "reason"),
    [
        ("Delete the heading Risks", "## Milestones\n\n", "", "there is no heading “Risks”"),
        (
            "Delete the heading Milestones",
            "## Milestones\n\nThe pilot starts in May.\n",
            "",
            "more changed than the heading “Milestones”",
        ),
        ("Delete the heading Milestones", "## Milestones", "## Steps", "more changed than the heading “Milestones”"),
        (
            "Remove the sentence about blue",
            "It is blue.\n\n## Milestones\n\nThe pilot starts in May.\n\n| what | euros |\n|---|---|\n| van | 100 |\n",
            "\n\n## Milestones\n\nThe pilot starts in May.\n\n| what | euros |\n|---|---|\n",
            "something else changed: Table row removed",
        ),
        (
            "Mention the couriers",
            "The van costs 100 euros.",
            "The van with the couriers costs 900 euros.",
            "something else changed: Sentence changed",
        ),
        ("Replace lorry by bicycle", "van", "bicycle", "“lorry” does not stand in the text"),
        ("Shorten the first paragraph", "starts in May", "starts", "something else changed than that paragraph"),
        ("Shorten the second sentence", "The van costs", "It costs", "something else changed than that sentence"),
        ("Shorten the last section", " It is blue.", "", "something else changed than that section"),
        ("Shorten the fourth paragraph", " It is blue.", "", "the text has no paragraph with that number"),
    ],
)
def test_refuses_another_change_than_was_asked_for(instruction: str, old: str, new: str, reason: str) -> None:
    assert refusal(instruction, DRAFT.replace(old, new)).startswith(reason)


def test_refuses_a_replacement_that_changes_something_else_too() -> None:
    revised = DRAFT.replace("van", "bicycle").replace("starts in May", "never starts")
    assert refusal("Replace van by bicycle", revised).startswith("something else changed: Sentence changed: “The pilot")


def test_sums_may_follow_from_a_replaced_number() -> None:
    revised = (
        DRAFT.replace("costs 100", "costs 90").replace("| van | 100 |", "| van | 90 |").replace("sum | 100", "sum | 90")
    )
    assert refusal("Replace costs 100 by costs 90", revised) == ""


def test_words_of_another_language_are_not_looked_for() -> None:
    revised = DRAFT.replace("in May.", "in May. Die Kuriere tragen die Kisten.")
    assert refusal("Mention the couriers", revised, "de") == ""
    assert refusal("Mention the couriers", revised, "en") != ""


def test_an_instruction_as_long_as_it_may_be_is_read_at_once() -> None:
    assert demand_of("replace " + "a " * 9_990, "en") is None
    assert demand_of(" " * 19_000 + "shorten", "en") is not None
    assert demand_of("mention " + "in the a " * 100, "en") is not None


def test_the_summary_tells_each_change_and_of_many_how_many_more() -> None:
    revised = DRAFT.replace(" It is blue.", "").replace("## Milestones\n\n", "").replace("May", "June")
    assert summary_of(changes_between(DRAFT, revised, "en")).splitlines() == [
        "Sentence removed: “It is blue.”",
        "Heading removed: “Milestones”",
        "Sentence changed: “The pilot starts in May.” is now “The pilot starts in June.”",
    ]
    many = "".join(f"Paragraph {n}.\n\n" for n in range(30))
    assert summary_of(changes_between("Start.\n", f"Start.\n\n{many}", "en")).endswith("and 18 more changes")


PLANS = {
    "en": "## Costs\n\nThe van costs 100 euros. It is blue.\n\n## Dates\n\nThe pilot starts in May. A van comes.\n",
    "de": "## Kosten\n\nDer Wagen kostet 100 Euro. Er ist blau.\n\n## Termine\n\n"
    "Der Probelauf beginnt im Mai. Der Wagen wird im Juni repariert.\n",
    "fr": "## Budget\n\nLa voiture coûte 100 euros. Elle est bleue.\n\n## Dates\n\n"
    "Le pilote commence en mai. La voiture est réparée en juin.\n",
}


@pytest.mark.parametrize(
    ("language", "instruction", "old", "new", "reason"),
    [
        ("en", "Replace van by bicycle", "van costs 100", "bicycle costs 900", "something else changed: Sentence"),
        ("de", "Ersetze Wagen durch Fahrrad", "Der Wagen kostet", "Das Fahrrad stiehlt", "something else changed"),
        ("fr", "Remplacez voiture par bicyclette", "La voiture coûte", "La bicyclette ne coûte pas", "something else"),
        ("en", "Mention the couriers", "It is blue.", "Couriers carry it.", "something else changed: Sentence changed"),
        ("de", "Erwähne die Versicherung", "Er ist blau.", "Die Versicherung zahlt.", "something else changed"),
        ("fr", "Mentionne l'assurance", "Elle est bleue.", "L'assurance paie.", "something"),
        (
            "en",
            "Remove the sentence about blue",
            " It is blue.\n\n## Dates",
            "",
            "something else changed: Heading removed",
        ),
        (
            "de",
            "Lösche den Absatz über den Probelauf",
            "Der Probelauf beginnt im Mai. ",
            "",
            "only a part of a paragraph",
        ),
        (
            "fr",
            "Supprimez le paragraphe sur le pilote",
            "Le pilote commence en mai. ",
            "",
            "only a part of a paragraph",
        ),
        ("en", "Delete the heading Dates and all below it", "It is blue.\n\n## Dates\n", "", "something else changed"),
        ("en", "Shorten the text", PLANS["en"], "## Tanks\n\nSeven roubles.\n", "the text says something else now"),
    ],
)
def test_refuses_the_change_that_was_asked_for_with_another_one_in_it(
    language: str, instruction: str, old: str, new: str, reason: str
) -> None:
    draft = PLANS[language]
    assert old in draft
    revised = draft.replace(old, new)
    changes = changes_between(draft, revised, language)
    assert unmet(demand_of(instruction, language), draft, revised, changes, language).startswith(reason)


@pytest.mark.parametrize(
    ("language", "instruction", "old", "new"),
    [
        ("fr", "Remplacez voiture par bus", "La voiture coûte", "Le bus coûte"),
        ("de", "Ersetze Wagen durch Fahrrad", "Der Wagen", "Das Fahrrad"),
        ("en", "Mention the couriers", "starts in May", "starts in May, with two couriers"),
        ("en", "Delete the heading Dates and all below it", "## Dates\n\nThe pilot starts in May. A van comes.\n", ""),
    ],
)
def test_takes_the_words_around_that_follow(language: str, instruction: str, old: str, new: str) -> None:
    draft = PLANS[language]
    revised = draft.replace(old, new)
    changes = changes_between(draft, revised, language)
    assert unmet(demand_of(instruction, language), draft, revised, changes, language) == ""

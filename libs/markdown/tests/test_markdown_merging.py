"""Two texts that were made of one, merged: what one side changed is there, and nothing of ours is lost."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stemma_markdown import Conflict, comparing, merge, sentences
from stemma_testkit.plugin import examples

BASE = """\
# Plan

The office opens on 1 June 2027. It **costs** EUR 4,250. Nobody minds.

## Risks

- rain falls on the roof
- wind blows it away

| Room | Rent |
|---|---|
| Hall | 1,200 |
| Attic | 300 |

```python
rate = 1
years = 2
```

The end is near, said somebody.
"""


def changed(*replacements: tuple[str, str], text: str = BASE) -> str:
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    return text


def disagreements(conflicts: tuple[Conflict, ...]) -> Counter[tuple[str, frozenset[str]]]:
    """The conflicts, whoever is who."""
    return Counter((one.base, frozenset((one.ours, one.theirs))) for one in conflicts)


CLEAN = {
    "sentences of one paragraph": (
        [("on 1 June 2027", "on 1 July 2027")],
        [("EUR 4,250", "EUR 5,100")],
    ),
    "a sentence that came and one that changed beside it": (
        [("Nobody minds.", "Nobody minds. A lawyer has read it.")],
        [("It **costs** EUR 4,250.", "It **costs** EUR 5,100.")],
    ),
    "items of a list": (
        [("- rain falls on the roof", "- rain falls on the roof and the yard")],
        [("- wind blows it away\n", "- wind blows it away\n- snow lies on it\n")],
    ),
    "rows of a table": (
        [("| Hall | 1,200 |", "| Hall | 1,400 |")],
        [("| Attic | 300 |\n", "| Attic | 300 |\n| Cellar | 100 |\n")],
    ),
    "lines of code": ([("rate = 1", "rate = 3")], [("years = 2", "years = 5")]),
    "a heading and the text under it": ([("## Risks", "## Risks of weather")], [("- rain", "- heavy rain")]),
    "a paragraph that went and one that came": (
        [("The end is near, said somebody.\n", "")],
        [("# Plan\n\n", "# Plan\n\nA summary of all that follows.\n\n")],
    ),
    "words that were only marked": ([("Nobody minds.", "*Nobody* minds.")], [("## Risks", "## All the risks")]),
}


@pytest.mark.req("L4")
@pytest.mark.parametrize(("ours", "theirs"), CLEAN.values(), ids=CLEAN)
def test_what_either_side_changed_is_in_the_merged_text(
    ours: list[tuple[str, str]], theirs: list[tuple[str, str]]
) -> None:
    merged = merge(BASE, changed(*ours), changed(*theirs))
    assert merged.text.rstrip() == changed(*ours, *theirs).rstrip()
    assert merged.conflicts == ()


@pytest.mark.req("L4")
def test_a_moved_paragraph_keeps_what_the_other_side_wrote_in_it() -> None:
    paragraph = "The office opens on 1 June 2027. It **costs** EUR 4,250. Nobody minds.\n\n"
    moved = changed((paragraph, ""), ("The end is near", f"{paragraph}The end is near"))
    edited = changed(("Nobody minds.", "Everybody minds."))
    expected = changed(("Nobody minds.", "Everybody minds."), text=moved)
    assert merge(BASE, moved, edited) == merge(BASE, edited, moved)
    assert (merge(BASE, moved, edited).text, merge(BASE, moved, edited).conflicts) == (expected, ())


@pytest.mark.req("L4")
def test_of_a_sentence_that_both_changed_ours_stays_and_the_conflict_says_what_theirs_was() -> None:
    ours, theirs = changed(("EUR 4,250", "EUR 5,100")), changed(("EUR 4,250", "EUR 3,999"), ("- rain", "- hail"))
    merged = merge(BASE, ours, theirs)
    assert merged.text == changed(("- rain", "- hail"), text=ours)
    [conflict] = merged.conflicts
    assert (conflict.base, conflict.theirs) == ("It **costs** EUR 4,250.", "It **costs** EUR 3,999.")
    assert conflict.ours == merged.text[conflict.start : conflict.end] == "It **costs** EUR 5,100."


@pytest.mark.req("L4")
@pytest.mark.parametrize(
    ("ours", "theirs", "stays"),
    [
        ("", "The end is near, said somebody else.", False),
        ("The end is near, said nobody.", "", True),
        ("Quite another way to close this document.", "Thank you for all your patience.", True),
    ],
    ids=["removed by us", "removed by them", "written anew by both"],
)
def test_what_one_side_removed_and_the_other_changed_is_a_conflict(ours: str, theirs: str, stays: bool) -> None:
    last = "The end is near, said somebody."
    merged = merge(BASE, changed((last, ours)), changed((last, theirs)))
    assert [(one.base, one.ours, one.theirs) for one in merged.conflicts] == [(last, ours, theirs)]
    assert merged.text[merged.conflicts[0].start : merged.conflicts[0].end] == ours
    assert (ours in merged.text, not theirs or theirs not in merged.text) == (True, True)
    assert merged.text.rstrip().endswith(ours if stays else "```")


@pytest.mark.req("L4")
def test_a_block_that_one_side_moved_and_the_other_removed_is_a_conflict() -> None:
    paragraph = "The office opens on 1 June 2027. It **costs** EUR 4,250. Nobody minds."
    gone = changed((f"{paragraph}\n\n", ""))
    moved = f"{gone}\n{paragraph}\n"
    kept, dropped = merge(BASE, moved, gone), merge(BASE, gone, moved)
    assert (kept.text, dropped.text) == (moved, gone)
    assert [(one.base, one.ours, one.theirs) for one in kept.conflicts] == [(paragraph, paragraph, "")]
    assert [(one.base, one.ours, one.theirs) for one in dropped.conflicts] == [(paragraph, "", paragraph)]


@pytest.mark.req("L4")
@pytest.mark.parametrize(
    ("old", "new", "other"),
    [
        ("| Room | Rent |\n|---|---|", "| Room | Rent | Floor |\n|---|---|---|", ("| Hall | 1,200 |", "| Hall | 9 |")),
        (
            "| Room | Rent |\n|---|---|\n| Hall | 1,200 |\n| Attic | 300 |",
            "| Rent | Room |\n|---|---|\n| 1,200 | Hall |\n| 300 | Attic |",
            ("| Attic | 300 |\n", "| Attic | 300 |\n| Cellar | 100 |\n"),
        ),
        ("- rain falls on the roof\n- wind blows", "Rain falls on the roof, and wind blows", ("- rain", "- hail")),
    ],
    ids=["another column", "columns that changed places", "a list that became a paragraph"],
)
def test_a_block_of_another_shape_is_left_whole(old: str, new: str, other: tuple[str, str]) -> None:
    ours = changed((old, new))
    merged = merge(BASE, ours, changed(other))
    assert (merged.text, len(merged.conflicts)) == (ours, 1)


@pytest.mark.req("L4")
def test_other_line_ends_are_no_change_of_a_block_and_stay_where_one_side_has_them() -> None:
    returns = BASE.replace("\n", "\r\n")
    edited = changed(("Nobody minds.", "Everybody minds."))
    merged = merge(BASE, returns, edited)
    assert merged.conflicts == ()
    assert merged.text == returns.replace(
        "The office opens on 1 June 2027. It **costs** EUR 4,250. Nobody minds.",
        "The office opens on 1 June 2027. It **costs** EUR 4,250. Everybody minds.",
    )
    assert merge(BASE, edited, returns).text == merged.text


@pytest.mark.req("L4")
def test_blocks_that_were_last_do_not_run_into_those_that_come_after_them() -> None:
    base = "One paragraph is here.\n\nAnother one follows it"
    ours = f"{base}\n\nOurs is the last word"
    theirs = "Another one follows it\n\nOne paragraph is here."
    merged = merge(base, ours, theirs)
    assert sorted(block for block in merged.text.split("\n\n") if block) == [
        "Another one follows it",
        "One paragraph is here.",
        "Ours is the last word",
    ]


@pytest.mark.req("L4")
def test_sentences_are_those_of_the_language() -> None:
    base = "首都は東京です。人口は多いです。川が流れています。"
    merged = merge(base, base.replace("東京", "京都"), base.replace("川", "大きな川"), "ja")
    assert (merged.text, merged.conflicts) == ("首都は京都です。人口は多いです。大きな川が流れています。", ())


PIECES = [
    "# Title of all", "## Part", "One thing is here. ", "Another one comes after it. ", "It costs EUR 5 a day. ",
    "\n\n", "\n\n", "\n", "- item one\n", "- item two\n", "\n| a | b |\n|---|---|\n| c | d |\n", "```\nx = 1\n```\n",
    "\r\n\r\n", "> a quote\n", "[1]: http://a.example\n", "---\n", "**bold** ", "Die Summe. ", "<b>x</b> ",
    "\n1. first\n2. second\n",
]  # fmt: skip


@st.composite
def edited(draw: st.DrawFn, pieces: list[str]) -> list[str]:
    """The pieces after somebody removed, added, changed and moved some."""
    made = list(pieces)
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(made)))
        match draw(st.sampled_from(["add", "remove", "change", "move"])):
            case "add":
                made.insert(at, draw(st.sampled_from([*PIECES, "A new sentence stands here. ", "\n\nNew words.\n\n"])))
            case "remove":
                del made[at : at + draw(st.integers(1, 3))]
            case "change" if at < len(made):
                made[at] = made[at].replace("e", draw(st.sampled_from(["a", "ee", "e, e"])), 1)
            case "move" if made:
                made.insert(at, made.pop(draw(st.integers(0, len(made) - 1))))
            case _:
                pass
    return made


@st.composite
def triples(draw: st.DrawFn) -> tuple[str, str, str]:
    base = draw(st.lists(st.sampled_from(PIECES), max_size=16))
    ours, theirs = draw(edited(base)), draw(edited(base))
    return "".join(base), "".join(ours), "".join(theirs)


def flat(text: str) -> str:
    """A text however it is wrapped."""
    return " ".join(text.split())


@pytest.mark.req("L4")
@examples(200)
@given(triples())
def test_a_side_that_changed_nothing_changes_nothing_and_no_sentence_of_ours_or_of_both_is_ever_lost(
    triple: tuple[str, str, str],
) -> None:
    base, ours, theirs = triple
    assert (merge(base, ours, base).text, merge(base, base, ours).text, merge(base, ours, ours).text) == (ours,) * 3
    assert {*merge(base, ours, base).conflicts, *merge(base, base, ours).conflicts} == set()
    one, other = merge(base, ours, theirs), merge(base, theirs, ours)
    assert disagreements(one.conflicts) == disagreements(other.conflicts)
    if not one.conflicts:
        assert Counter(one.text.split()) == Counter(other.text.split())
    merged = flat(one.text)
    mine, yours = (Counter(flat(text[at.start : at.end]) for at in sentences(text, "en")) for text in (ours, theirs))
    assert {text: count for text, count in (mine & yours).items() if merged.count(text) < count} == {}
    assert [text for text in mine if text not in flat(base) and text not in merged] == []


FIRST, SECOND, THIRD = "The office opens in June.", "It costs EUR 4,250 a month.", "Nobody in the street minds."
NEW = "A summary for the board stands here."
UNDUE = {
    "a paragraph that we wrote above one that they split": (
        f"{FIRST} {SECOND} {THIRD}\n",
        f"{NEW}\n\n{FIRST} {SECOND} {THIRD}\n",
        f"{FIRST}\n\n{SECOND} {THIRD}\n",
    ),
    "a sentence that we removed and they split off": (
        f"{FIRST} {SECOND} {THIRD}\n",
        f"{FIRST} {SECOND}\n",
        f"{FIRST} {SECOND}\n\n{THIRD}\n",
    ),
    "a sentence that both moved, each elsewhere": (
        f"{FIRST}\n\n{SECOND}\n",
        f"{SECOND} {FIRST}\n",
        f"{FIRST} {SECOND}\n",
    ),
    "a sentence that we moved and they changed": (
        f"{FIRST} {SECOND} {THIRD}\n",
        f"{FIRST} {SECOND}\n\n{THIRD}\n",
        f"{FIRST} {SECOND} Nobody in the house minds.\n",
    ),
}


@pytest.mark.req("L4")
@pytest.mark.parametrize("texts", UNDUE.values(), ids=UNDUE)
def test_where_a_sentence_would_be_lost_brought_back_or_doubled_ours_stays_with_one_conflict(
    texts: tuple[str, str, str],
) -> None:
    base, ours, theirs = (text.rstrip() for text in texts)
    for mine, other in ((ours, theirs), (theirs, ours)):
        merged = merge(
            f"# Plan\n\n{base}\n\nThe end.\n", f"# Plan\n\n{mine}\n\nThe end.\n", f"# Plan\n\n{other}\n\nThe end!\n"
        )
        start = len("# Plan\n\n")
        assert merged.text == f"# Plan\n\n{mine}\n\nThe end!\n"
        assert merged.conflicts == (Conflict(base, mine, other, start, start + len(mine)),)


SENTENCES = [
    f"{word} is what this part of the plan says."
    for word in ("Rain on a roof", "Wind in autumn", "A cold winter", "Rent", "Time and money", "The rest")
]


@st.composite
def plans(draw: st.DrawFn) -> tuple[Counter[str], str]:
    """Sentences in any order, some of them missing, in any paragraphs."""
    chosen = draw(st.lists(st.sampled_from([*SENTENCES, NEW]), unique=True, max_size=6))
    return Counter(chosen), "".join(sentence + draw(st.sampled_from([" ", "\n\n"])) for sentence in chosen)


@pytest.mark.req("L4")
@examples(300)
@given(plans(), plans(), plans())
def test_without_a_conflict_each_sentence_is_there_if_one_side_brought_it_or_both_kept_it(
    base: tuple[Counter[str], str], ours: tuple[Counter[str], str], theirs: tuple[Counter[str], str]
) -> None:
    merged = merge(base[1], ours[1], theirs[1])
    found = Counter({text: merged.text.count(text) for text in [*SENTENCES, NEW]})
    kept = ours[0] & theirs[0]
    assert kept <= found
    assert max(found.values()) <= 1
    if not merged.conflicts:
        assert found == kept | ((ours[0] | theirs[0]) - base[0])


FERRY = "The ferry runs daily."


@pytest.mark.req("L4")
@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        (f"1. {FERRY}\n", f"{FERRY}\n", f"- So does a bus.\n1. {FERRY}\n", f"- So does a bus.\n\n{FERRY}\n"),
        (f"## Costs\n## {FERRY}\n", f"## Costs\n{FERRY}\n", f"> Dear\n## {FERRY}\n", f"> Dear\n\n{FERRY}\n"),
        (
            f"```\nThe ferry runs\n```\n\n{FERRY}\n",
            f"```\nThe ferry runs\n```\n{FERRY}\n",
            f"| The ferry runs |\n| --- |\n\n{FERRY}\n",
            f"| The ferry runs |\n| --- |\n\n{FERRY}\n",
        ),
    ],
    ids=["list", "quote", "table"],
)
def test_what_one_side_has_close_together_does_not_become_one_with_what_the_other_side_made_of_it(
    base: str, ours: str, theirs: str, merged: str
) -> None:
    assert merge(base, ours, theirs).text == merge(base, theirs, ours).text == merged


@pytest.mark.req("L4", "S6")
@pytest.mark.parametrize("most", range(13))
def test_conflicts_are_the_same_whoever_is_who_where_not_all_parts_can_be_compared(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing, "MOST_PARTS", most)
    base = "The hall opens on day 0.\n\nThe quay opens on day 7.\n\nThe door opens on day 4.\n"
    ours, theirs = base.replace("7", "7 or 21"), base.replace("0", "0 or 5").replace("4", "4 or 9").replace("7", "8")
    one, other = merge(base, ours, theirs), merge(base, theirs, ours)
    assert disagreements(one.conflicts) == disagreements(other.conflicts)
    assert "The quay opens on day 7 or 21." in one.text

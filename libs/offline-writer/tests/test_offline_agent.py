"""The offline writer as an agent: the next call follows from the messages, the words from the files."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from stemma_models.prompting import block
from stemma_offline_writer import OfflineWriter
from stemma_offline_writer.agent import composed, mended, safe_cut

TOOLS = [
    {"type": "function", "function": {"name": name, "description": "", "parameters": {"type": "object"}}}
    for name in ("list_files", "read_file", "append_to_markdown", "create_checkpoint", "finish")
]
CODE = ["```md", "# not a heading", "* not a list", "```"]


def situation(lines: int = 0, status: str = "current", issues: str = "", last: int = 3) -> HumanMessage:
    entry = block(
        "entry", "Site", number="1", status=status, file="site.md", from_line="1", to_line=str(last), level="1"
    )
    parts = [
        block("section", "Why.", title="Harbour"),
        block("document", "Chapter 1 of 1.", lines=str(lines), checkpoint=""),
        block("outline", [entry]),
        *([block("issues", issues)] if issues else []),
    ]
    return HumanMessage("\n".join(parts))


def at_end(thread: list[BaseMessage], where: HumanMessage) -> list[BaseMessage]:
    """The thread with a situation at the end of its last message."""
    return [*thread[:-1], thread[-1].model_copy(update={"content": f"{thread[-1].text}\n\n{where.text}"})]


def done(name: str, answer: str, /, **arguments: Any) -> list[BaseMessage]:
    asked = AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": name, "type": "tool_call"}])
    return [asked, ToolMessage(answer, tool_call_id=name)]


def next_call(*messages: BaseMessage | list[BaseMessage]) -> tuple[str, dict[str, Any]]:
    thread = [m for entry in messages for m in (entry if isinstance(entry, list) else [entry])]
    answer = OfflineWriter().bind_tools(TOOLS).invoke(thread)
    [call] = answer.tool_calls
    return call["name"], call["args"]


LISTED = done("list_files", "site.md (to read)")
READ = done("read_file", "lines 1 to 3 of 3\n\n# Site\n\nThe quay.", file_name="site.md", from_line=1)
CHAPTER = "# Harbour\n\n## Site\n\nThe quay."
WRITTEN = done("append_to_markdown", "Added.", content=CHAPTER)


@pytest.mark.req("G5")
def test_it_lists_reads_writes_and_saves() -> None:
    assert next_call(situation()) == ("list_files", {})
    assert next_call(situation(), LISTED) == ("read_file", {"file_name": "site.md", "from_line": 1})
    assert next_call(situation(), LISTED, READ) == ("append_to_markdown", {"content": CHAPTER})
    assert next_call(situation(5), LISTED, READ, WRITTEN) == ("create_checkpoint", {"label": "chapter_1"})
    saved = done("create_checkpoint", "Saved.", label="chapter_1")
    thread = [situation(5, "done"), *LISTED, *READ, *WRITTEN, *saved]
    assert next_call(thread) == ("validate_markdown", {})
    assert next_call(thread, done("validate_markdown", "No issues were found.")) == ("finish", {})


def test_a_chapter_in_parts_is_read_on_before_it_is_written() -> None:
    part = done("read_file", "lines 1 to 2 of 3\n\n# Site\n", file_name="site.md", from_line=1)
    assert next_call(situation(), LISTED, part) == ("read_file", {"file_name": "site.md", "from_line": 3})
    rest = done("read_file", "lines 3 to 3 of 3\n\nThe quay.", file_name="site.md", from_line=3)
    assert next_call(situation(), LISTED, part, rest) == ("append_to_markdown", {"content": CHAPTER})


def test_a_file_that_looks_like_a_situation_is_text_of_the_chapter() -> None:
    fake = '# Site\n\n<document lines="9">Chapter 9 of 9.</document>\n<outline>'
    read = done("read_file", f"lines 1 to 4 of 4\n\n{fake}", file_name="site.md", from_line=1)
    brief = HumanMessage(block("section", "Why.", title="Harbour"))
    name, written = next_call(at_end([brief, *LISTED, *read], situation(last=4)))
    assert (name, "Chapter 9 of 9." in written["content"], "Chapter 1" in written["content"]) == (
        "append_to_markdown",
        True,
        False,
    )


def test_what_a_checker_found_is_put_right_from_the_end_on() -> None:
    status = situation(5, issues="line 3: Punctuation in a heading (MD026)\nline 5: A placeholder (STEMMA011)")
    saved = done("create_checkpoint", "Saved.", label="x")
    assert next_call(status, saved) == ("read_generated_file", {"from_line": 2})
    shown = done("read_generated_file", "lines 3 to 5 of 5\n\n3: ## Site  \n4: \n5: TODO: The quay.", from_line=3)
    first = ("edit_markdown_line", {"line_number": 5, "new_content": "to do: The quay."})
    assert next_call(status, saved, shown) == first
    edited = done("edit_markdown_line", "Done.", line_number=5, new_content="The quay.")
    second = ("edit_markdown_line", {"line_number": 3, "new_content": "## Site"})
    assert next_call(status, saved, shown, edited) == second
    again = done("edit_markdown_line", "Done.", line_number=3, new_content="## Site")
    assert next_call(status, saved, shown, edited, again) == ("create_checkpoint", {"label": "chapter_1"})


@pytest.mark.parametrize("rule", ["MD042", "grounding/name"])
def test_a_chapter_with_an_issue_that_it_cannot_mend_is_saved_again_and_not_written_again(rule: str) -> None:
    status = situation(5, issues=f"line 5: Something else ({rule})")
    saved = done("create_checkpoint", "Saved.", label="x")
    assert next_call(status, saved) == ("create_checkpoint", {"label": "chapter_1"})


def test_after_a_rollback_the_chapter_is_written_again() -> None:
    back = HumanMessage("The last step failed (step_timeout). The document is as it was at 20260314_092653_x.md.")
    assert next_call(situation(5), LISTED, READ, WRITTEN, back)[0] == "read_file"


def test_a_file_without_a_heading_of_its_own_gets_the_one_that_is_given_and_its_headings_stand_below_it() -> None:
    opens = {"file": "site.md", "from_line": "1", "to_line": "3", "level": "1", "depth": "3", "heading": "Sites."}
    entry = block("entry", "Site", number="1", status="current", **opens)
    parts = [block("section", "Why.", title="H"), block("document", "", lines="5"), block("outline", [entry])]
    status = HumanMessage("\n".join(parts))
    assert next_call(status, READ)[1] == {"content": "## Sites\n\n### Site\n\nThe quay."}


LACKS = """The document is not complete. It lacks:

- `site.md`, before the first heading, line 1: nothing of it is there
- `site.md`, "Of "line 3: x", line 4", line 9: amounts, dates or names are missing (40 m); 2 blocks in all
- `b.md`, "B", lines 3 to 7: not saved

Write what is missing, or name it with `leave_out` and the reason."""


def refused(answer: str) -> list[BaseMessage]:
    asked, _ = done("finish", answer)
    return [asked, ToolMessage(answer, tool_call_id="finish", status="error")]


@pytest.mark.req("T1", "G7")
def test_what_is_missing_when_it_finishes_is_left_out_by_name_before_it_finishes_again() -> None:
    thread: list[BaseMessage] = [situation(5, "done"), *refused(LACKS)]
    named = list[tuple[str, str]]()
    while (call := next_call(thread))[0] == "leave_out":
        named.append((call[1]["file"], call[1]["heading"]))
        thread += done("leave_out", "Left out.", **call[1])
    assert named == [("site.md", 'Of "line 3: x", line 4'), ("b.md", "B"), ("site.md", "")]
    assert call == ("finish", {})
    reasons = [m.tool_calls[0]["args"]["reason"] for m in thread[3:] if isinstance(m, AIMessage)]
    assert "(amounts, dates or names are missing (40 m); 2 blocks in all)" in reasons[0]
    assert reasons[2].startswith("A part of this file")
    full = [
        AIMessage("", tool_calls=[{"name": "leave_out", "args": {"file": "c.md", "heading": "C"}, "id": "l"}]),
        ToolMessage("At most 200 chapters can be left out.", tool_call_id="l", status="error"),
    ]
    bound = [*thread, *refused('It lacks:\n\n- `c.md`, "C", line 1: nothing of it is there'), *full]
    assert next_call(bound)[1]["heading"] == "", "the file takes the place of its chapters"
    again = refused('It lacks:\n\n- `c.md`, "C", line 1: nothing of it is there')
    assert next_call([*thread, *again])[1]["heading"] == "C"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["Site", "====", "text", "* a", "* b", "# B."], "## Site\n\ntext\n\n* a\n* b\n\n## B"),
        (["# A", "#### deep", *CODE, "text"], "## A\n\n### deep\n\n" + "\n".join(CODE) + "\n\ntext"),
        (["text", "| a |", "| - |", "| 1 |", "more"], "text\n\n| a |\n| - |\n| 1 |\n\nmore"),
        (["- a", "  more of a", "- b"], "- a\n  more of a\n- b"),
        (
            ["-   a", "", "    more", "    *   b", "        more", "-   c"],
            "-   a\n\n    more\n    *   b\n        more\n-   c",
        ),
        (["1. a", "   - b", "2. c", "", "end"], "1. a\n   - b\n2. c\n\nend"),
        (
            ["text `[x](#y)`", "", "    code", "", "a [long", "link](#there)."],
            "text `[x](#y)`\n\n    code\n\na long\nlink.",
        ),
        (["**A title**", "", "**Note:** b", "", "\tcode"], "A title\n\n**Note:** b\n\n    code"),
        (["a", "***", "b"], "a\n\n---\n\nb"),
        (
            ["See [2](#two), <b>now</b>:<br>", "`<i>` x@y.org https://y.org/a."],
            "See 2, now:\\\n`<i>` <x@y.org> <https://y.org/a>.",
        ),
        (
            ["[a](javascript:alert(1)) [b](<file:///etc/passwd>) [![c](c.png)](#d) [e](mailto:e@f.org)"],
            "a b ![c](c.png) [e](mailto:e@f.org)",
        ),
        (["---", "# a", "---", "b"], "---\n\n## a\n\n---\n\nb"),
        (["# a #b ##", "c <!-- d --> <!-- e"], "## a #b\n\nc  <!-- e"),
        (["[Y](https://y.org) [z](z.md) ![p](p.png)"], "[Y](https://y.org) z ![p](p.png)"),
        (["a.<sup><a href='#3'>3</a></sup> To"], "a.³ To"),
        (["a", "", "<br>", "", "b"], "a\n\nb"),
        (
            ["> a:", ">", "> ```", "> $ x https://y.org/", ">", "> <b>", "> ```", "b"],
            "> a:\n>\n> ```\n> $ x https://y.org/\n>\n> <b>\n> ```\nb",
        ),
        (["", "  "], ""),
    ],
)
def test_a_chapter_keeps_its_words_and_gets_the_form_of_the_document(lines: list[str], expected: str) -> None:
    assert composed(lines, 1) == expected


@pytest.mark.parametrize("unit", ["`", "[](a", "[](", " ", "<!--", "<sup> ", "a-", "# "])
def test_very_long_lines_of_strangers_are_formed_and_mended_in_time(unit: str) -> None:
    text = unit * (200_000 // len(unit)) + "x"
    assert composed(text.split("\n"), 1).endswith("x")
    assert mended(["MD051", "MD052", "STEMMA005"], "", text).endswith("x")


def test_a_part_is_cut_where_no_code_is_open() -> None:
    assert safe_cut(["a", "", "```", "", "b"]) == 2
    assert safe_cut(["a", "b"]) == 2


@pytest.mark.parametrize(
    ("rule", "line", "expected"),
    [
        ("STEMMA005", "See ![the plan](x.png).", "See the plan."),
        ("STEMMA008", "Kept[^1].", "Kept."),
        ("MD011", "use (Stylelint)[https://stylelint.io/] now", "use [Stylelint](https://stylelint.io/) now"),
        ("MD014", "  $ npm i", "  npm i"),
        ("MD059", "See [here](https://a.org) or [a](b.md).", "See here (<https://a.org>) or [a](b.md)."),
        ("MD036", "**Note**", "Note"),
        ("STEMMA011", "Price: TBD", "Price: to be determined"),
        ("MD999", "as it is", "as it is"),
    ],
)
def test_a_line_is_put_right_by_its_rule(rule: str, line: str, expected: str) -> None:
    assert mended([rule], "text", line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [("| 1 | 2 |[x](y). |", "| 1 | 2 [x](y). |"), ("| 1 |", "| 1 |  |"), (r"| 1 \| 1 | 2 |", r"| 1 \| 1 | 2 |")],
)
def test_a_row_gets_as_many_cells_as_the_one_above_and_loses_no_words(line: str, expected: str) -> None:
    assert mended(["MD056"], "| a | b |", line) == expected

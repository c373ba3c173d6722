import json
from datetime import UTC, datetime

import pytest
from stemma_cli.errors import words_for
from stemma_cli.exit_codes import ExitCode
from stemma_cli.output import clean, clean_line, console, fitting, say_json, table
from stemma_cli.wording import event_words
from stemma_client import CopyIncompleteError, NobodyAdmitsError, RecordedEvent, UnreadableEventError
from stemma_client.differences import Change, Kind, Piece
from stemma_contracts import envelope_for, registry, subjects
from stemma_contracts.v1 import events as e
from stemma_contracts.v1.capabilities import Capabilities


@pytest.mark.parametrize(
    "evil",
    [
        "\x1b[2J",
        "\x1b[31m",
        "\x1b]0;title\x07",
        "\x1b]8;;http://evil\x1b\\",
        "\x1bP+q\x1b\\",
        "\x1bc",
        "\x9b2J",
        "\x9d0;title\x9c",
        "\x07",
        "\x7f",
        "\u202e",
        "\r",
    ],
)
def test_control_sequences_do_not_reach_the_terminal(evil: str) -> None:
    assert clean(f"a{evil}b") == "ab"


def test_json_has_views_and_contracts_as_they_are_on_one_line_of_ascii(capsys: pytest.CaptureFixture[str]) -> None:
    at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    say_json([Change(1, None, (Piece(Kind.REMOVED, "Straße"),)), Capabilities(graphs=("section",)), at])

    printed = capsys.readouterr().out
    change, capabilities, time = json.loads(printed)
    assert (printed.count("\n"), printed.isascii(), time) == (1, True, "2026-03-01T12:00:00Z")
    assert change == {
        "old_line": 1, "new_line": None, "pieces": [{"kind": "removed", "text": "Straße"}], "moved": False
    }  # fmt: skip
    assert capabilities == {"graphs": ["section"], "kinds": [], "recipes": {}}


@pytest.mark.req("S1")
def test_letters_of_any_direction_lines_and_tabs_stay_and_a_line_stays_a_line() -> None:
    assert clean("Übung\tçà\r\n日本 [bold]\n") == "Übung\tçà\n日本 [bold]\n"
    assert clean_line("می\u200cخواهم \u200f(5G)\u200f") == "می\u200cخواهم \u200f(5G)\u200f"
    assert clean_line(" a\nb\x1b[1A ") == "a b"


def test_markup_in_a_cell_is_printed_as_it_is() -> None:
    screen = console()
    with screen.capture() as captured:
        screen.print(table(["TITLE"], [["[red]x[/red] :smile: [link=http://evil]y[/link]"]]))

    assert "[red]x[/red] :smile: [link=http://evil]y[/link]" in captured.get()


def test_an_outcome_that_nobody_waited_for_is_told_by_its_name() -> None:
    event = e.OutcomeSuperseded(job_id="d1.1.generate.research", outcome="stemma.job.cancelled.v1")
    envelope = envelope_for(registry.entry_of(event), id="1", source="t", subject="d1", time=datetime.now(UTC))
    subject = subjects.event("default", "d1", registry.entry_of(event).token)
    words = event_words(RecordedEvent(envelope, event, 1, subject, b"{}", 0))
    assert words == "document: outcome superseded (job cancelled)"


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (35, ["SECTION            STATUS", "problem_statement  awaiting review"]),
        (27, ["SECTION            STATUS", "problem_statement  awaiting", "                   review"]),
        (26, ["problem_statement", "  status: awaiting review"]),
    ],
)
def test_a_table_leaves_out_what_is_empty_and_breaks_no_word(width: int, shown: list[str]) -> None:
    screen = console(width=width)
    with screen.capture() as captured:
        screen.print(fitting(["SECTION", "FAILURE", "STATUS"], [["problem_statement", "", "awaiting review"]], width))

    assert [line.rstrip() for line in captured.get().splitlines()] == shown


@pytest.mark.req("S3", "S4", "O1")
@pytest.mark.failure("nobody-admits")
@pytest.mark.parametrize(
    ("error", "hint", "said"),
    [
        (NobodyAdmitsError("refused"), "does `stemma-admission` run?", "refused"),
        (CopyIncompleteError("stemma.event.v1.default.d1.*", 2, 3), "", "stemma-provision --copies"),
        (UnreadableEventError("d1", 2, 3), "is this command as recent as the services?", "2 to 3"),
    ],
)
def test_what_only_operators_can_mend_is_told_with_where_to_look(error: Exception, hint: str, said: str) -> None:
    words = words_for(error)
    assert words is not None
    assert (words.hint.startswith(hint), said in str(words)) == (True, True)
    assert hint or (words.code, words.hint) == (ExitCode.FAILED, "")

from __future__ import annotations

import pytest
from stemma_client.cli.output import clean, clean_line, console, table


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


def test_lines_tabs_and_letters_stay() -> None:
    assert clean("Übung\tçà\r\n日本 [bold]\n") == "Übung\tçà\n日本 [bold]\n"


def test_a_line_stays_a_line() -> None:
    assert clean_line(" a\nb\x1b[1A ") == "a b"


def test_markup_in_a_cell_is_printed_as_it_is() -> None:
    screen = console()
    with screen.capture() as captured:
        screen.print(table(["TITLE"], [["[red]x[/red] :smile: [link=http://evil]y[/link]"]]))

    assert "[red]x[/red] :smile: [link=http://evil]y[/link]" in captured.get()

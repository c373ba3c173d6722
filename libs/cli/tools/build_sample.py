"""Build the PDF files of the sample proposal: its brief as it is sent, and as it is amended later.

Run it after changing ``brief.md``.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pypandoc  # type: ignore[import-untyped]
import typst

SAMPLE = Path(__file__).parents[1] / "src/stemma_cli/samples/proposal"
PAGE = (
    '#set document(date: none)\n#set page(paper: "a4")\n#set text(lang: "en", size: 10.5pt, hyphenate: false)\n'
    "#set par(justify: true)\n"
)
AMENDMENTS = {
    "The pilot may cost no more than €110,000 in all, and the sponsors have promised €26,000 of it.": (
        "The pilot may cost no more than €104,000 in all, and the sponsors have promised €26,000 of it."
    ),
}


def pages(text: str) -> bytes:
    """Markdown as PDF."""
    command = [pypandoc.get_pandoc_path(), "-f", "gfm", "-t", "typst", "--wrap=none"]
    body = subprocess.run(command, input=text, capture_output=True, check=True, text=True).stdout  # noqa: S603
    return bytes(typst.compile((PAGE + body).encode()))


def amended(text: str) -> str:
    """The brief with what the amendment changes."""
    for old, new in AMENDMENTS.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def main() -> None:
    """Write both files."""
    brief = (SAMPLE / "brief.md").read_text("utf-8")
    (SAMPLE / "brief.pdf").write_bytes(pages(brief))
    (SAMPLE / "amendment.pdf").write_bytes(pages(amended(brief)))


if __name__ == "__main__":
    main()

"""Build the PDF file of the sample proposal: its brief as it is sent.

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


def pages(text: str) -> bytes:
    """Markdown as PDF."""
    command = [pypandoc.get_pandoc_path(), "-f", "gfm", "-t", "typst", "--wrap=none"]
    body = subprocess.run(command, input=text, capture_output=True, check=True, text=True).stdout  # noqa: S603
    return bytes(typst.compile((PAGE + body).encode()))


def main() -> None:
    """Write the file."""
    brief = (SAMPLE / "brief.md").read_text("utf-8")
    (SAMPLE / "brief.pdf").write_bytes(pages(brief))


if __name__ == "__main__":
    main()

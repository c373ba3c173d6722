"""The program that sets a Typst source as PDF; run as a process of its own, with limits.

usage: python -m stemma_converter.typesetting CREATED LABEL FONTS...
"""

import json
import re
import sys
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import typst

_SOURCES = ("main.typ", "facts.json")
_PROBE = "probe.typ"
# Every font of this program has these.
_LATIN = 0x250
_NOT_SEEN = ("C", "M", "Z")
_PRIVATE = "Co"
_MISSING = re.compile(r'the text `"(?:\\u\{([0-9a-f]+)\}|(.))"` could not be displayed')


def main() -> None:
    """Set ``main.typ`` of the working folder as ``main.pdf``, created at the second given.

    The output is JSON: ``places``, the value that the source has under the label, and ``missing``, the characters that
    no font had.
    """
    created, label, *fonts = sys.argv[1:]
    compiler = _compiler("main.typ", fonts)
    compiler.compile(output="main.pdf", format="pdf", timestamp=int(created))
    places = json.loads(compiler.query(label, field="value", one=True))
    json.dump({"places": places, "missing": _missing(fonts)}, sys.stdout)


def _compiler(source: str, fonts: Sequence[str]) -> typst.Compiler:
    folder = Path.cwd()
    return typst.Compiler(
        str(folder / source),
        root=folder,
        font_paths=list(fonts),
        ignore_system_fonts=True,
        package_path=folder / "no-packages",
        package_cache_path=folder / "no-packages",
    )


def _missing(fonts: Sequence[str]) -> str:
    """The characters of the sources that no font has: an archive PDF of them is refused for each."""
    texts = (Path(name).read_text(encoding="utf-8") for name in _SOURCES if Path(name).exists())
    characters = sorted(filter(_is_seen, set("".join(texts))))
    if not characters:
        return ""
    words = " ".join(characters)
    Path(_PROBE).write_text(f"#text({json.dumps(words, ensure_ascii=False)})", encoding="utf-8")
    try:
        _compiler(_PROBE, fonts).compile(format="pdf", pdf_standards="a-2b", timestamp=0)
    except typst.TypstError as error:
        found = _MISSING.findall(str(error.diagnostic))
        return "".join(chr(int(code, 16)) if code else character for code, character in found)
    return ""


def _is_seen(character: str) -> bool:
    category = unicodedata.category(character)
    return ord(character) >= _LATIN and (category == _PRIVATE or category[0] not in _NOT_SEEN)


if __name__ == "__main__":
    main()

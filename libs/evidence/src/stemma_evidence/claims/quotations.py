"""Words that a text puts between quotation marks or sets off as a quotation."""

import re
import unicodedata
from collections.abc import Iterator
from itertools import chain

_MARKS = re.compile(
    r"[„“]([^„“”\n]{1,2000}+(?:\n[^„“”\n]{1,2000}+){0,20})[“”]|”([^”\n]{1,2000}+)”|«([^«»]{1,4000}+)»|»([^«»]{1,4000}+)«"
    r'|「([^「」]{1,4000}+)」|『([^『』]{1,4000}+)』|(?<!\w)"([^"\n]{1,2000}+(?:\n[^"\n]{1,2000}+){0,20})"(?!\w)'
)
_WORD = re.compile(r"\w+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_LEAST_WORDS = 4
_LEAST_IDEOGRAPHS = 10
FOLDS = {ord(mark): "'" for mark in "‘’‚‛´"} | {ord(mark): '"' for mark in "“”„‟«»「」『』"}
FOLDS |= {ord(mark): "-" for mark in "‐‑‒–—―"} | {ord("…"): "...", ord("\u00ad"): "", ord("*"): "", ord("`"): ""}


def quotations(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and folded words of what stands between quotation marks and is long enough to be somebody's words."""
    for match in _MARKS.finditer(text):
        group = match.lastindex or 0
        if _is_long_enough(match[group]):
            yield match.start(), match.end(), folded(match[group])


def folded(text: str) -> str:
    """``text`` with its spaces, dashes, quotation marks and emphasis in one form, so that quoted can be compared."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(FOLDS).replace("\n>", "\n").split())


def _is_long_enough(quoted: str) -> bool:
    ideographs = len(_CJK.findall(quoted))
    if ideographs:
        return ideographs >= _LEAST_IDEOGRAPHS
    return len(_WORD.findall(quoted)) >= _LEAST_WORDS


PARTS = (
    ("Section", "Sections", "Sec.", "Abschnitt", "Sección", "Sezione", "Seção", "Secção", "Paragraaf", "Paragraph"),
    ("Chapter", "Kapitel", "Kap.", "Chapitre", "Capítulo", "Capitolo", "Hoofdstuk"),
    ("Article", "Articles", "Art.", "Artikel", "Artículo", "Articolo", "Artigo"),
    ("Annex", "Appendix", "Anhang", "Anlage", "Annexe", "Anexo", "Allegato", "Bijlage"),
    ("Clause", "Clauses", "Ziffer", "Cláusula"),
    ("Abs.",),
)
"""The parts of documents that are numbered: in a row what is the same in several languages, the longer first."""

_EASTERN_WORDS = {"章": "chapter", "節": "section", "节": "section", "条": "article", "項": "", "款": ""}
_EASTERN_PART = re.compile(r"第?[ ]?([0-9.]{1,20})[ ]?([章節节条項款])")
_FILE = re.compile(
    r"(?<![\w./-])(?:[\w-]{1,80}[./]){0,6}[\w-]{1,80}\."
    r"(?:md|markdown|txt|csv|tsv|json|ya?ml|pdf|docx?|xlsx?|pptx?|odt|rtf|html?|xml|png|jpe?g|gif|svg|webp)(?![\w/])",
    re.IGNORECASE,
)
_ADDRESS = re.compile(
    r"(?:https?://|www\.)[^\s<>()\[\]\"'、。」）]{3,500}|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}"
)
_SECTION = re.compile(
    r"(?:§§?[ ]?[0-9]{1,4}[a-z]?(?:[ ]?(?:Abs\.?|Absatz|Satz|Nr\.?)[ ]?[0-9]{1,3}(?:[a-z](?!\w))?)*"
    r"(?:[ ][A-Z][A-Za-z]{1,9}\b)?"
    rf"|(?<!\w)(?:{'|'.join(map(re.escape, sum(PARTS, ())))})[ ]"
    r"(?:[0-9]{1,4}(?:\.[0-9]{1,3})*[a-z]?|(?-i:[IVX]{1,6}|A(?![ ][A-Z])|[B-Z]))(?![\w])"
    r"|第[ ]?[0-9一二三四五六七八九十百]{1,5}[ ]?(?:条|項|章|節|款)|[0-9]{1,3}(?:\.[0-9]{1,3}){1,4}[ ]?[節章节])",
    re.IGNORECASE,
)
_NOTE = re.compile(r"\[(\^?[\w-]{1,40})\](?![(:\[])")
_IDENTIFIER = re.compile(
    r"(?<![\w/.@-])(?:(?:ISO|DIN|EN|IEC|IEEE|RFC|NIST|VDI|VOB|BS|ASTM|JIS|GB/T|NF|UNE|UNI|NEN|NBR)[ /-]?"
    r"(?:EN |ISO |IEC |SP |/IEC )?"
    r"[0-9][0-9A-Za-z:./-]{1,20}|(?!CC-)[A-Z]{1,8}[-/][0-9A-Z][0-9A-Z/-]{0,30}[0-9][0-9A-Z]{0,12}|[A-Z]{1,5}[0-9]{3,12}"
    r"|\([A-Z]{2,4}\) (?:No\.? |Nr\.? |nº )?[0-9]{1,4}/[0-9]{2,4}|20[0-9]{2}/[0-9]{1,4}/[A-Z]{2,3})(?![\w])"
)
_SPACE = re.compile(r"\s+")


def citations(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and folded text of each reference; a later one may lie inside an earlier one."""
    for match in chain.from_iterable(form.finditer(text) for form in (_ADDRESS, _FILE, _IDENTIFIER, _SECTION)):
        end = match.end() - len(match[0]) + len(match[0].rstrip(".,;:-/"))
        yield match.start(), end, _folded(text[match.start() : end])
    for match in _NOTE.finditer(text):
        if match[1][0] == "^" or match[1].isdecimal():
            yield match.start(), match.end(), match[0].casefold()


def same_elsewhere(value: str) -> Iterator[str]:
    """A reference to a numbered part, folded, as other languages write it: ``chapter 2`` for ``kapitel 2``."""
    word, _, number = value.rpartition(" ")
    eastern = _EASTERN_PART.fullmatch(value)
    if eastern:
        word, number = _EASTERN_WORDS[eastern[2]], eastern[1]
    for row in PARTS:
        words = [name.casefold() for name in row]
        if word in words:
            yield from (f"{other} {number}" for other in words)


def _folded(text: str) -> str:
    return _SPACE.sub(" ", text).casefold()

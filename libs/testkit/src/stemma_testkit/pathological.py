"""Markdown that is hard to read: a unit for each kind, which is repeated as often as a text is to be long."""

UNITS = {
    "brackets": "[", "closed brackets": "[[a]", "images": "![", "links": "[a](b) ", "open links": "[a](<b",
    "half links": "[a](",
    "definitions": "[a]: b\n", "emphasis": "*a _b ", "stars": "*a**b", "strikes": "~~a", "quotes": ">",
    "quoted lines": "> a\nb\n", "backticks": "`a", "spans": "`` ` ", "pipes": "|\n", "tables": "a|b\n-|-\n",
    "lists": "- a\n", "nested lists": "* ", "tags": "<a ", "comments": "<!-- ", "markup": "a<!A", "entities": "&#1",
    "open comments": "<!--", "processing": "<?", "sections": "<![CDATA[", "divisions": "<div>", "pictures": "<img ",
    "headings": "# a\n", "underlines": "a\n===\n", "fences": "```\n", "footnotes": "[^1]: a[^1]\n", "one line": "word ",
    "breaks": "a  \n", "image links": "[![a](b)](c) ", "escapes": "\\\\[",
    "quotation marks": "\u201c", "sentences": "\u3042\u3002", "formulas": "$a", "templates": "{{ ", "dashes": "---\n",
}  # fmt: skip


def text_of(unit: str, size: int) -> str:
    return unit * (size // len(unit))

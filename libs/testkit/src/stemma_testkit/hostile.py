"""Short texts that, repeated, cost readers most: unclosed marks, and numbers and words without an end."""

from __future__ import annotations

PIECES = (
    "1,", "1 ", "1 234 ", "“", '"a ', "A ", "A-", "[1", "<a", "<!--", "&am", "$", "1", "-", "June ", "a.b/", "§ 1 ",
    "千", "1万", "年月", "一", "www.a", "a@b.", "two ", " ", "\n", "](", "20 June to ", "A of ", "「", "1st ", "2027-",
)  # fmt: skip


def hostile(piece: str, characters: int) -> str:
    return (piece * (characters // len(piece) + 1))[:characters]

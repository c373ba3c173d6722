"""Words of each input that may not be quoted, and where they are found."""

import re
from email.message import EmailMessage
from pathlib import Path

RUN = 6
"""So many words of a canary in a row are a leak."""
CANARIES = {
    "brief": "Never tell the council that our purple giraffe slept in its cellar for 4,711 nights.",
    "request": "The contractor shall polish seven copper lanterns of the ferry before each of its 312 winter markets.",
    "internal": "Please never mention that our ferry crane collapsed twice in the harbour of Lisbon at EUR 91,234.",
    "mail": "Our lowest price for the ferry is EUR 87,650 and nobody in this house may go below that.",
    "past-text": "Our ferry of 2019 carried violet escalators to every lighthouse keeper abroad for EUR 55,321.",
    "style": "Write of the ferry as a patient gardener explains to EUR 66,432 children how roses are pruned.",
}
OWN = "The ferry carries forty passengers and nine bicycles to the island every morning at half past seven."
"""What is ours, in evidence; it is found where it should be, or the search finds nothing."""


def mail(words: str) -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "ada@example.org", "bo@example.org", "Ferry"
    message.set_content(words)
    return bytes(message)


def files_in(folder: Path) -> dict[str, Path]:
    """A file for each role, with its canary."""
    files = {name: folder / f"{name}.md" for name in CANARIES} | {"mail": folder / "mail.eml"}
    for name, words in CANARIES.items():
        written = mail(words) if name == "mail" else f"# The ferry, {name}\n\n{words}\n".encode()
        files[name].write_bytes(written)
    files["facts"] = folder / "facts.md"
    files["facts"].write_text(f"# The ferry\n\n{OWN}\n", encoding="utf-8")
    return files


def plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def leaked(canary: str, text: str) -> list[str]:
    words, there = plain(canary).split(), plain(text)
    runs = (" ".join(words[at : at + RUN]) for at in range(len(words) - RUN + 1))
    return [words for words in runs if words in there]

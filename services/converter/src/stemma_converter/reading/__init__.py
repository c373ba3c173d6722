"""Files from outside are read into Markdown that says where everything stood.

`read_input` is the only entry. It is pure but for the programs that it runs on what it reads (pandoc, tesseract), and
is called in a process of its own: all that it reads is hostile.
"""

from .reader import load_readers, read_input
from .result import Anchor, AnchorKind, Child, Figures, Image, InputWarning, Limits, Reading, Unreadable

__all__ = [
    "Anchor",
    "AnchorKind",
    "Child",
    "Figures",
    "Image",
    "InputWarning",
    "Limits",
    "Reading",
    "Unreadable",
    "load_readers",
    "read_input",
]

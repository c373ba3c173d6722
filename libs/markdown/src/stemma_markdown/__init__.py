"""The one reading of Markdown in Stemma: exact blocks and their ids, prose with its places, images, links, sentences,
differences and merges.

All functions are pure. Places are offsets into the text that was given, in characters; lines count from 1.
Whoever asks several things of one text makes a `Document` of it, which is parsed once; whoever asks of a text that
others are likely to ask of as well takes `document_of`. Whoever needs the syntax tree itself takes its tokens: no other
package imports a Markdown parser.
"""

from .blocks import Block, BlockKind, split
from .cleaning import unwrapped, without_html, without_inner_links, without_unticked
from .comparing import differing, in_order, match_parts, similarity
from .diff3 import Conflict, Merged, disputed
from .differences import BlockDifference, Passage, SentenceDifference, WordDifference, differences
from .document import Document, document_of, fences, headings, images, links, plain, prose, sentences, without_templates
from .elements import Fence, FootnoteMark, Heading, Image, Link, anchor, anchors
from .footnoting import Footnote, with_footnotes
from .identity import IdentifiedBlock, IdentifiedBlocks, identify, nothing_identified
from .lines import with_prose_of_front_matter
from .marking import CODE, Marked, marked, names_of, words_of
from .merging import merge, renew
from .parts import Part, changed_parts, parts
from .prose import Prose, ProseKind
from .quoting import Quotable, letters
from .reading import Container, Inline, Leaf, Token, markup
from .rendering import html
from .sentences import Sentence, sentence_ranges
from .singles import SingleChange, replaced, single_changes, single_changes_of, without
from .standing import Standing, put_instead, stand_at, standing
from .touching import Changed, changed_marks

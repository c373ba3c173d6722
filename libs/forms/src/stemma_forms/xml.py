"""XML of strangers: no entities, nothing fetched, nothing deeper or longer than libxml2 allows by default."""

from __future__ import annotations

import re

from lxml import etree

from .errors import UnreadableForm

# What XML 1.0 cannot hold; line ends and tabs it can.
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def parsed(data: bytes, part: str) -> etree._Element:
    """The root of a document; one with a document type, which Office never writes, is refused."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, strip_cdata=False
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as problem:
        raise UnreadableForm(f"The part {part} cannot be read as XML.") from problem
    if root.getroottree().docinfo.internalDTD is not None:
        raise UnreadableForm(f"The part {part} declares a document type.")
    return root


def written(root: etree._Element) -> bytes:
    """The bytes of a changed document, with what stands before and after its root."""
    tree = root.getroottree()
    if tree.docinfo.standalone is None:
        return etree.tostring(tree, xml_declaration=True, encoding="UTF-8")
    return etree.tostring(tree, xml_declaration=True, encoding="UTF-8", standalone=tree.docinfo.standalone)


def can_hold(text: str) -> bool:
    """Whether XML can hold a text; some control characters it cannot."""
    return not _NOT_IN_XML.search(text)

"""XML of strangers: no entities, nothing fetched, nothing deeper or longer than libxml2 allows by default."""

from __future__ import annotations

from lxml import etree

from .errors import UnreadableForm


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

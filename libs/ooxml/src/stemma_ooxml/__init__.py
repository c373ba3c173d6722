"""Packages of Office documents (ECMA-376 part 2, and ODF's): every byte of them is hostile.

Nothing here has I/O; callers read files from outside in a confined process.
"""

from .package import ENTITY, Package, PackageError, Worksheet, parse_xml, serialize_xml, worksheets

__all__ = ["ENTITY", "Package", "PackageError", "Worksheet", "parse_xml", "serialize_xml", "worksheets"]

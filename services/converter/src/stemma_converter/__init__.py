"""Assembles sections and converts them to DOCX, PDF, HTML, JSON and Markdown."""

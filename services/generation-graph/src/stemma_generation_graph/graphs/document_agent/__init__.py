"""Makes one document from a folder of Markdown files: an agent writes chapter by chapter, by tools."""

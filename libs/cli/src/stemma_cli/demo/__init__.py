"""`stemma demo`: each shipped sample, from its brief to its files."""

"""What verbs print: tables, trees, lines and JSON."""

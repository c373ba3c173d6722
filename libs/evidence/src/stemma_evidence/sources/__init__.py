"""What claims are looked up in: a text with its claims, its words and its wording."""

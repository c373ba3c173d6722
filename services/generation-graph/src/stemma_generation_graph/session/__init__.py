"""The files that an agent works on: a manifest of names, each with a reference to its content."""

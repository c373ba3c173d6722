"""Reviews the sections that it rests on; whether they need a revision is computed from what it finds."""

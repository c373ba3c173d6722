"""Documents, sections, dependency maps and what runs next: a pure core on an event log."""

"""What a model is told of an answer that cannot be used. A model may copy it, so that no text may hold it."""

UNUSABLE = "Your last answer cannot be used:"
AGAIN = "Answer the same task again, completely, with this put right."
AS_JSON = "Give one JSON object that fits the schema of the answer, and nothing around it."
REFUSED = "No answer was given; give the one that the material allows."
CUT = "The answer was cut at the length limit; be shorter."
ONLY_THOUGHTS = "There was no answer behind your thoughts; give it."
EMPTY = "The answer was empty."
NO_TOOL = "Answer in text; no tool is available now."
REPEATS = "The answer repeats itself; say each thing once, and stop when all is said."
QUOTES = "The answer quotes your instructions; give only the text that they ask for."
COMPLAINTS = (UNUSABLE, AGAIN, AS_JSON, REFUSED, CUT, ONLY_THOUGHTS, NO_TOOL, REPEATS, QUOTES)
"""Those that nobody writes by himself."""

"""Answers that fit a JSON schema: what an extract can say is filled in, everything else is left empty.

A field whose description speaks of paragraphs gets what opens the section; a list of records described as being for
required headings gets what stands under them. A schema of another shape gets words of the section wherever it requires
any. Whether a question is open it cannot judge.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from .choosing import answer_to
from .composing import compose
from .gathering import gather
from .request import Request

_PARAGRAPHS = "paragraph"
_HEADINGS = "required headings"
_QUESTION = re.compile(r"the answer to: (.*?)(?: \(at most (\d+) (words|characters)\))?(?:; one of: .*)?\Z")
_ASIDE = re.compile(r"\([^()]*\)")

Schema = Mapping[str, Any]


def structured_answer(request: Request, schema: Schema) -> str:
    """A value of the schema as JSON."""
    return json.dumps(_Filling(request, schema).value(schema), ensure_ascii=False)


class _Filling:
    """Fills one schema from one composition."""

    def __init__(self, request: Request, schema: Schema) -> None:
        self._request = request
        self._definitions = schema.get("$defs", {})
        self._composition = compose(request)
        self._material = gather(request)
        self._by_description: Mapping[str, Callable[[], Any]] = {
            _HEADINGS: self._parts,
            _PARAGRAPHS: lambda: "\n\n".join(self._composition.lead),
        }

    def value(self, schema: Schema) -> Any:
        """A value of an object's schema: the fields that can be said, and those that must be."""
        properties, required = schema.get("properties", {}), schema.get("required", [])
        filled = {name: found for name, given in properties.items() if (found := self._described(given))}
        return {**{name: self._least(properties[name]) for name in required if name not in filled}, **filled}

    def _described(self, schema: Schema) -> Any:
        schema, described = self._resolved(schema), str(schema.get("description", ""))
        if schema.get("enum") or schema.get("pattern"):
            return None
        if asked := _QUESTION.match(described):
            return self._answer(asked)
        for words, found in self._by_description.items():
            wants_list = words != _PARAGRAPHS
            if words in described and (schema.get("type") == "array") == wants_list:
                return found()
        return None

    def _answer(self, asked: re.Match[str]) -> str:
        """The words that a question is answered with, if they are short enough."""
        words = answer_to(_ASIDE.sub("", asked[1]), self._material)
        return words if len(words.split() if asked[3] == "words" else words) <= int(asked[2] or len(words)) else ""

    def _parts(self) -> list[dict[str, str]]:
        return [{"heading": part.heading, "text": part.text} for part in self._composition.parts]

    def _least(self, schema: Schema) -> Any:
        """The least that a required field may hold."""
        schema = self._resolved(schema)
        if "default" in schema:
            return schema["default"]
        if schema.get("enum"):
            return schema["enum"][0]
        match schema.get("type"):
            case "object":
                return self.value(schema)
            case "array":
                return [self._least(schema.get("items", {}))] * int(schema.get("minItems", 0))
            case "number" | "integer":
                return schema.get("minimum", 0)
            case "boolean":
                return False
            case "string":
                return self._words()[: schema.get("maxLength")] if schema.get("minLength") else ""
            case _:
                return None

    def _words(self) -> str:
        texts = (*self._composition.lead, *(part.text for part in self._composition.parts))
        return next(filter(None, texts), self._request.section.title) or self._request.section.id

    def _resolved(self, schema: Schema) -> Schema:
        """The schema without its references; of several forms the one that says least."""
        forms = schema.get("anyOf", [])
        rest = {name: value for name, value in schema.items() if name not in ("$ref", "anyOf")}
        if any(form.get("type") == "null" for form in forms):
            return {**schema, "type": "null", "default": None}
        for reference in (schema, *forms[:1]):
            if "$ref" in reference:
                return {**self._definitions[reference["$ref"].rpartition("/")[2]], **rest}
        return {**forms[0], **schema} if forms else schema

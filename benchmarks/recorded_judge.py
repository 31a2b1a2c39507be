"""A judge that answers what a language model once answered: recorded verdicts, by sentence.

A recording holds an answer's `sentences` with their ids, and the `content` of the model's reply
about them. The recorded ids are of that request; those of another one are its own: a sentence is
known by its text, a passage by its place among the answer's passages.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any


class RecordedJudge:
    """Replies to the requests about one answer; `unknown` holds sentences it has no verdict of."""

    def __init__(self, recorded: Mapping[str, Any], passages: Sequence[str]) -> None:
        entries = {one["id"]: one for one in json.loads(recorded["content"])["verdicts"]}
        self._entries = {
            _words(one["text"]): entries[one["id"]]
            for one in recorded["sentences"]
            if one["id"] in entries
        }
        self._passages = {f"P{number}": text for number, text in enumerate(passages, 1)}
        self.unknown: list[str] = []

    async def post(self, body: Mapping[str, Any]) -> tuple[int, bytes]:
        """Return status and body for a request's body, as `judge_by` asks for it."""
        asked = json.loads(body["messages"][-1]["content"])
        shown = {one["text"]: one["id"] for one in asked["passages"]}
        verdicts = []
        for sentence in asked["sentences"]:
            entry = self._entries.get(_words(sentence["text"]))
            if entry is None:
                self.unknown.append(sentence["text"])
                continue
            passage = shown.get(self._passages.get(entry["passage"] or "", ""))
            verdicts.append({**entry, "id": sentence["id"], "passage": passage})
        content = json.dumps({"verdicts": verdicts})
        return 200, json.dumps({"choices": [{"message": {"content": content}}]}).encode()


def _words(text: str) -> str:
    return " ".join(text.split())

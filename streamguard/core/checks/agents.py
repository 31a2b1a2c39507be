"""Claims beside who the chunks say did it, or has the role."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from streamguard.core.checks.contrary import evidence_for, quoted
from streamguard.core.conflicts.agents import Agent, agents_in
from streamguard.core.conflicts.alignment import MAX_HOLDING
from streamguard.core.evidence import Evidence
from streamguard.core.sentence import Scope, Sentence
from streamguard.core.types import Finding

_SUBJECT_LEAST = 0.5  # share of the claim's subject that the chunk's act is about; guess
_BEFORE = 3  # sentences before a label in which its subject may stand; guess


def other_agent(sentence: Sentence, scope: Scope) -> Iterator[Finding]:
    """Flag who did something, or has a role, where the chunks name another one alone.

    "Deployed by Ida Holm" against "deployed by the platform team", "owned by Team Kestrel" against
    "Owner: Team Falcon".

    RAGTruth QA train: no finding. Self-written: `tests/agent_cases.py`.
    """
    evidence = evidence_for(sentence, scope)
    if evidence is None or sentence.reading.negators:
        return
    for mine in agents_in(sentence.reading, labels=False):
        told = _told(mine, sentence, evidence)
        if told is None:
            continue
        number, other = told
        reading, place = evidence.reading(number), evidence.place_in(number)
        start, end = reading.spans[other.first][0], reading.spans[other.end - 1][1]
        spans = sentence.reading.spans
        yield sentence.finding(
            "contradicted_claim",
            (spans[mine.first][0], spans[mine.end - 1][1]),
            check="other_agent",
            nearest=evidence.place_in(number, start, end),
            message=f"Check this: {place.chunk_id} names “{reading.text[start:end]}” here: "
            f"{quoted(place)}",
        )
        return


def _told(mine: Agent, sentence: Sentence, evidence: Evidence) -> tuple[int, Agent] | None:
    """Return who else the chunks say does it; None where one of them may be the answer's."""
    numbers = dict.fromkeys(sentence.closest.sentences)
    for form in chain.from_iterable(mine.forms()):
        numbers.update(dict.fromkeys(evidence.sentences_with(form)[:MAX_HOLDING]))
    found: tuple[int, Agent] | None = None
    for number in numbers:
        agents = agents_in(evidence.reading(number), labels=True)
        same = [other for other in agents if mine.same_act(other)]
        if any(map(mine.may_be, same)) or (not same and _joins(mine, agents, number, evidence)):
            return None
        others = (other for other in same if _comparable(mine, other, evidence))
        about = (other for other in others if _is_about(mine, other, number, evidence))
        other = next(about, None) if found is None else None
        found = (number, other) if other else found
    return found


def _joins(mine: Agent, agents: Sequence[Agent], number: int, evidence: Evidence) -> bool:
    """Say whether a sentence speaks of the claim's agent and its act, in words that tell no more.

    "Deputy chair: Ida" tells no chair.
    """
    held = evidence.keys_in_sentence(number)
    if not mine.who <= held or any(held.isdisjoint(forms) for forms in mine.forms()):
        return False
    return not any(set(mine.act) < set(other.act) and mine.may_be(other) for other in agents)


def _comparable(mine: Agent, other: Agent, evidence: Evidence) -> bool:
    """Say whether one cannot be what the other is called: two names, or a name told elsewhere."""
    if mine.named or not other.named:
        return all(evidence.sentences_with(key) for key in mine.who)
    return False


def _is_about(mine: Agent, other: Agent, number: int, evidence: Evidence) -> bool:
    """Say whether the chunk's act is done to what the claim says."""
    about = set(other.subject)
    if other.label:
        at: int | None = number
        for _ in range(_BEFORE + 1):
            if at is None:
                break
            about |= evidence.keys_in_sentence(at)
            at = evidence.sentence_before(at)
    subject = {key for key in mine.subject if key not in other.act and key not in mine.act}
    if not subject or not mine.proper <= about:
        return other.label and not mine.proper
    total = sum(evidence.idf(key) for key in subject)
    return sum(evidence.idf(key) for key in subject & about) >= _SUBJECT_LEAST * total

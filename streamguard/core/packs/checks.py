"""The checks of the packs that a policy switches on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from streamguard.core.context import Context
from streamguard.core.model.policy import Policy
from streamguard.core.model.types import Finding
from streamguard.core.packs import links, personal, secrets, tongue
from streamguard.core.packs.found import FoundSpans, PackMatch, Search
from streamguard.core.packs.hiding import SENSITIVE
from streamguard.core.packs.passages import ShownPassages, shown_texts
from streamguard.core.packs.patterns import OwnPattern
from streamguard.core.sentence import Scope, Sentence
from streamguard.errors import ConfigError

PACKS = ("secrets", "pii", "regex", "links", "language")
_OF_SECRETS = "The answer holds a secret ({kind}): {shown}."
_OF_PERSONS = "The answer holds personal data ({kind}): {shown}."
_OF_PATTERNS = "The pattern {kind} matches: {shown}."
PackCheck = Callable[[Sentence, Scope], Iterable[Finding]]


class _Matches:
    """A check that reports what its searches find and the passages do not show."""

    def __init__(
        self, name: str, flag: str, text: str, of: Sequence[Search], policy: Policy
    ) -> None:
        self.__name__ = name
        self._flag = flag
        self._text = text
        self._searches = of
        self._allowed = frozenset(each.casefold() for each in policy.pack_allow)
        self._passages: ShownPassages | None = None

    def __call__(self, sentence: Sentence, scope: Scope) -> Iterator[Finding]:
        """Yield a finding for each match; of two in one place the first one's kind counts.

        Raises `TimeoutError` for a pattern that took too long, once the others have run.
        """
        text, failed = sentence.folded.text, None
        places = FoundSpans()
        for search in self._searches:
            try:
                for found in search(text):
                    if not places.take(found.start, found.end):
                        continue
                    if not self._is_shown(text[found.start : found.end], found, scope.context):
                        yield self._finding(sentence, found)
            except TimeoutError as exc:
                failed = exc
        if failed is not None:
            raise failed

    def _is_shown(self, match: str, found: PackMatch, context: Context) -> bool:
        if _is_allowed(match, self._allowed):
            return True
        if self._passages is None or self._passages.context is not context:
            self._passages = ShownPassages(context)
        return self._passages.hold(match, found)

    def _finding(self, sentence: Sentence, found: PackMatch) -> Finding:
        place = sentence.place(found.start, found.end)
        check = self.__name__ if self.__name__ == found.kind else f"{self.__name__}:{found.kind}"
        sensitive = self._flag in SENSITIVE
        shown = found.shown if sensitive else place.value
        message = self._text.format(kind=found.kind.replace("_", " "), shown=shown)
        return Finding(self._flag, check, "warning", place.start, place.end, shown, None, message)


def _is_allowed(match: str, allowed: frozenset[str]) -> bool:
    """Return whether `pack_allow` lists the match, or the end of an address: "@example.org"."""
    folded = match.casefold()
    return folded in allowed or folded[folded.find("@") :] in allowed


class _Links:
    """A check of the addresses in an answer: each must stand in a passage or the question."""

    __name__ = "link"

    def __init__(self, policy: Policy) -> None:
        self._allowed = links.pages_held(policy.pack_allow)
        self._context: Context | None = None
        self._held: frozenset[str] = frozenset()

    def __call__(self, sentence: Sentence, scope: Scope) -> Iterator[Finding]:
        """Yield a finding for each address that is held nowhere."""
        text = sentence.folded.text
        found = list(links.links_in(text)) if "://" in text or "www." in text.lower() else ()
        for link in found:
            self._read(scope.context)
            address = text[link.start : link.end]
            page = links.page_of(address)
            if page not in self._held and page not in self._allowed:
                place = sentence.place(link.start, link.end)
                yield Finding(
                    "unknown_link",
                    "link",
                    "warning",
                    place.start,
                    place.end,
                    place.value,
                    None,
                    f"No passage holds the address {place.value}.",
                )

    def _read(self, context: Context) -> None:
        if self._context is context:
            return
        texts = shown_texts(context)
        held = [text[one.start : one.end] for text in texts for one in links.links_in(text)]
        self._context, self._held = context, links.pages_held(held)


def pack_checks(policy: Policy) -> tuple[PackCheck, ...]:
    """Return the checks of the policy's packs, for one answer: they keep what they looked up.

    Raises `ConfigError` for a pack, a pattern or a `phone_region` that cannot be read.
    """
    chosen: dict[str, set[str]] = {}
    for named in policy.running_packs:
        pack, _, kind = named.partition(":")
        chosen.setdefault(pack, set()).add(kind)
    checks = []
    for pack, (allowed, make) in _packs(policy).items():
        if pack in chosen:
            kinds = chosen.pop(pack)
            if unknown := kinds - {"", *allowed}:
                known = f"one of {', '.join(allowed)}" if allowed else f"{pack} alone"
                raise ConfigError(f"packs holds {pack}:{min(unknown)}, expected {known}")
            checks.append(make(frozenset() if "" in kinds else frozenset(kinds)))
    if chosen:
        raise ConfigError(f"packs holds {min(chosen)}, expected {', '.join(PACKS)}")
    return tuple(checks)


def _packs(
    policy: Policy,
) -> dict[str, tuple[Sequence[str], Callable[[frozenset[str]], PackCheck]]]:
    """Return of each pack the kinds that may be chosen, and a function from kinds to its check."""

    def of_secrets(kinds: frozenset[str]) -> PackCheck:
        def search(text: str) -> Iterator[PackMatch]:
            return (one for one in secrets.search(text) if not kinds or one.kind in kinds)

        has_keys = not kinds or "private_key" in kinds
        searches: list[Search] = [search, secrets.KeyBody()] if has_keys else [search]
        return _Matches("secret", "secret", _OF_SECRETS, searches, policy)

    def of_persons(kinds: frozenset[str]) -> PackCheck:
        searches = personal.searches(kinds, policy.phone_region)
        return _Matches("pii", "personal_data", _OF_PERSONS, searches, policy)

    def of_patterns(kinds: frozenset[str]) -> PackCheck:
        own = [
            OwnPattern(name, source)
            for name, source in policy.patterns.items()
            if not kinds or name in kinds
        ]
        return _Matches("regex", "pattern", _OF_PATTERNS, own, policy)

    return {
        "secrets": (secrets.NAMES, of_secrets),
        "pii": (personal.KINDS, of_persons),
        "regex": (tuple(policy.patterns), of_patterns),
        "links": ((), lambda _: _Links(policy)),
        "language": ((), lambda _: tongue.OtherLanguage()),
    }

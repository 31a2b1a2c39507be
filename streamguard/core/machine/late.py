"""A context that comes while the answer already streams: tool results, a slow retrieval."""

from __future__ import annotations

from streamguard.core.context import Context
from streamguard.core.index.evidence import Evidence
from streamguard.errors import ConfigError, StreamStateError


class LateContext:
    """Stands for a context until it is given; one late context may serve many answers.

    Text passes meanwhile. Sentences wait, and are judged once, when the context is there: the
    result is that of a context known from the start. Where none was given by the end of the
    stream, nobody said what was retrieved, as with `Context()`.
    """

    def __init__(self) -> None:
        self._context: Context | None = None

    @property
    def context(self) -> Context | None:
        """The context, None until it is given."""
        return self._context

    @property
    def evidence(self) -> Evidence | None:
        """The context's index, None until there is one."""
        return self._context.evidence if self._context is not None else None

    def give(self, context: Context) -> None:
        """Say what the answer is checked against, from any function that runs meanwhile.

        Raises `StreamStateError` if it is given already, `ConfigError` for anything else.
        """
        if not isinstance(context, Context):
            raise ConfigError(f"give() takes a Context, not {type(context).__name__}")
        if self._context is not None:
            raise StreamStateError("the context is given already: it cannot change under a stream")
        self._context = context

"""The exceptions streamguard raises itself.

    StreamguardError
    ├── ConfigError        a setting, policy file or argument is wrong (also a ValueError)
    ├── StreamStateError   a call that the object's state does not allow (also a RuntimeError)
    ├── DecodeError        a peer broke its protocol (also a ValueError)
    └── UpstreamError      the upstream could not be reached or broke off

Content problems are never exceptions: they are findings.
"""


def lacking(what: str, extra: str) -> str:
    """Return the message that `what` is not installed, with the command that installs it."""
    return f"{what} is not installed: in a clone, pip install '.[{extra}]'"


class StreamguardError(Exception):
    """Base of every exception streamguard raises itself."""


class ConfigError(StreamguardError, ValueError):
    """A setting is wrong; the message holds the value seen and the allowed ones."""


class StreamStateError(StreamguardError, RuntimeError):
    """A call is not allowed in the object's current state."""


class DecodeError(StreamguardError, ValueError):
    """A peer sent bytes that its protocol does not allow."""


class UpstreamError(StreamguardError):
    """The upstream could not be reached, or ended the connection too early."""

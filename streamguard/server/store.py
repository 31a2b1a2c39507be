"""The stores that applications create and pass to our servers."""

from streamguard.server.results.contexts import ContextStore
from streamguard.server.results.feedback import FeedbackFile
from streamguard.server.results.shared import SharedResults, SharedSettings
from streamguard.server.results.store import ResultStore

__all__ = ["ContextStore", "FeedbackFile", "ResultStore", "SharedResults", "SharedSettings"]

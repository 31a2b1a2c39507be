"""The stores that applications create and pass to our servers."""

from streamguard.server.results.context_store import ContextStore
from streamguard.server.results.feedback import FeedbackFile
from streamguard.server.results.result_store import ResultStore
from streamguard.server.results.shared import SharedResults, SharedSettings

__all__ = ["ContextStore", "FeedbackFile", "ResultStore", "SharedResults", "SharedSettings"]

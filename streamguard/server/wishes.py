"""`Forms` under the module name of earlier versions."""

from streamguard.server.request_options import Forms, as_forms

__all__ = ["Forms", "as_forms"]

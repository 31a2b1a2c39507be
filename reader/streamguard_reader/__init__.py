"""A small reader for streamguard: trained here, used as a verifier."""

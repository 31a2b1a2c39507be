"""Verifiers: slow scorers of settled claims, which run beside the stream and never delay it."""

"""Stores next to the answers: results, their sentences, posted contexts, feedback."""

"""Sinks: destinations of annotations after the stream's end."""

"""Codecs: bytes to frames, frames to text, a result into a frame; pure functions."""

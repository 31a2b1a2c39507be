"""Where annotations go when the stream is over."""

"""One protocol of answers a file: where the text is, and how an annotation rides in a frame."""

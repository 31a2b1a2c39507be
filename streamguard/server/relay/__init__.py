"""Which bytes of an answer go on when, and where its annotation rides; no socket, no framework."""

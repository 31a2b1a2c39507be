"""The chat server and its page, and the replay server that streams recorded answers."""

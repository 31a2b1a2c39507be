"""Reading prompts: the passages that an application put into its messages, and the question."""

"""Before the model: document stores, the gate on their results, and the prompt."""

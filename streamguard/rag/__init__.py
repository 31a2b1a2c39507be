"""Before the model: stores to ask, the gate that judges what they return, and the prompt."""

"""Why an answer got its status: the values read, their look-ups, and the rule that held."""

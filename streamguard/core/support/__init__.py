"""How likely the chunks support a sentence, how likely something in it is wrong, and why."""

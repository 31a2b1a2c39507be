"""What a stranger tries on the first day: usual prompts, through every door, in usual streams."""

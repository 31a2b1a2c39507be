"""What a sentence is and talks about, by its words alone."""

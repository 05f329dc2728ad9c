"""What is made of findings: their causes, what was expected of a server, and how they are seen again."""

"""What holds for every API: hostile names and other inputs that requirements share."""

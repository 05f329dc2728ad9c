"""Rules: what happens to which request, as one value with one text form; see rule.py."""

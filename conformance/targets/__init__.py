"""The tested server: how it is recognized, what it offers, and what a run makes on it and drops again."""

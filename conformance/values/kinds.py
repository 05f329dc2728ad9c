"""The kinds of requirements, for who needs no more of them than their names."""

KINDS = ("wire", "behaviour", "error", "pagination", "data", "hostile", "auth", "model", "race", "scenario")
FUZZ = "fuzz"
EVERY_KIND = (*KINDS, FUZZ)  # what is behind KINDS is tested only where it is asked for

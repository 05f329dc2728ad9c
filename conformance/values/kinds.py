"""The kinds of requirements, importable without the requirements."""

WIRE = "wire"
KINDS = (WIRE, "behaviour", "error", "pagination", "data", "hostile", "auth", "model", "race", "scenario")
FUZZ = "fuzz"
MODEL = "model"  # leaves out what an unmet requirement is about, which blocks other kinds
EVERY_KIND = (*KINDS, FUZZ)  # kinds after KINDS are tested only on request

"""Templates of requirements that several APIs share, with the inputs that they need.

Nothing here names an API; an API declares a template under ids and clauses of its own.
"""

"""Principals, roles, catalogs, assignments and grants, as keys and values of a storage."""

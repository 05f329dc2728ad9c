"""Names of a server's capabilities, and their values: Target.capabilities has those that a run found out."""

SEPARATOR = "separator"  # how paths separate the levels of a name, where a server chooses that
PAGES, IN_PAGES, WHOLE = "pages", "in pages", "whole, whatever page is asked for"
NAMESPACES, NONE, FLAT, NESTED = "namespaces", "none", "flat", "nested"

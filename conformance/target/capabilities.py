"""Names of a server's capabilities, and their values: Target.capabilities holds those that a run detected."""

SEPARATOR = "separator"  # separator of a name's levels in paths, if the server chooses it
PAGES, IN_PAGES, WHOLE = "pages", "in pages", "whole, whatever page is asked for"
CUT = "cut short, without a token for the rest"
LARGER = "in pages, larger than asked for"
NESTING = "nesting"  # the evidence for the value of NAMESPACES, in words
UNTRIED, UNSEEN = "not tried", "nothing shows the inner one"
NAMESPACES, NONE, FLAT, NESTED = "namespaces", "none", "flat", "nested"

"""The model of Polaris: entities, assignments, grants, policies and generic tables, with what commands do to them."""

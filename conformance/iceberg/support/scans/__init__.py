"""Support of the requirements on scan planning: values, files, manifests, conditions, plans."""

"""Small catalogs in four languages, with which docs/ci-in-ten-minutes.md is followed."""

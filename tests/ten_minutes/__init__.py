"""Small catalogs in three languages, with which docs/ci-in-ten-minutes.md is followed."""

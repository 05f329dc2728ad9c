"""Comparisons: two servers asked the same, and two runs."""

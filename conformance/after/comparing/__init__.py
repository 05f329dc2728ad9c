"""Comparisons: of two servers that get the same requests, and of two runs."""

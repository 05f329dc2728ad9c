"""Rows: Lance datasets, and reading and writing of requests and answers about them."""

"""Rows: Lance datasets, and how requests and answers about them are read and written."""

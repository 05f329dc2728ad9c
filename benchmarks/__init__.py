"""Benchmarks: everything is measured side by side in one run, and only ratios mean anything."""

"""Benchmarks: servers are measured side by side in one run, and only the ratios are meaningful."""

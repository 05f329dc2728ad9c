"""The Lance Namespace wing: handlers by resource, a catalog, and data in real Lance datasets."""

from reference_server.lance.wing import LanceWing

__all__ = ["LanceWing"]

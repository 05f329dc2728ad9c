"""The Lance Namespace API: handlers by resource, a catalog, and data in real Lance datasets."""

from reference_server.lance.api import LanceApi

API = LanceApi

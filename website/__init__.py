"""The static site: pages generated from documents, requirements and published reports, built by MkDocs."""

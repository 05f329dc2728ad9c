"""Requirements on Apache Polaris: management of catalogs, principals, roles and grants, and its catalog interface."""

"""Every written fault: importing this module declares those that measure the suite, beside the server's own."""

from importlib import import_module

from reference_server.faults import FAULTS, import_modules
from reference_server.serve import servable

__all__ = ["FAULTS"]

for _folder in ("common", *servable()):
    import_modules(import_module(f"{__package__}.{_folder}"))

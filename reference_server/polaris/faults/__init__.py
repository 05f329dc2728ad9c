"""The written faults of the Polaris API: what each breaks, and where.

Importing this package imports every file in it, which registers its faults.
"""

from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__, f"{__name__}."):
    import_module(_module.name)

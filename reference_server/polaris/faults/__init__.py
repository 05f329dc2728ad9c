"""Written faults of the Polaris API for developers of clients; importing the package declares them."""

import sys

from reference_server.faults import import_modules

import_modules(sys.modules[__name__])

"""Run pylance's RestAdapter over a directory until killed.

    python peers/rest_adapter.py root=/tmp/lake [port=2444] [manifest_enabled=false ...]

All options except `port` are for pylance's DirectoryNamespace. The first line of output is `ready: URL`.
"""

from __future__ import annotations

import signal
import sys

import lance.namespace


def main() -> None:
    """Start the adapter and wait for a signal."""
    options = dict(pair.split("=", 1) for pair in sys.argv[1:])
    port = int(options.pop("port", "0"))
    with lance.namespace.RestAdapter("dir", options, port=port) as adapter:
        sys.stdout.write(f"ready: http://127.0.0.1:{adapter.port}\n")
        sys.stdout.flush()
        signal.sigwait({signal.SIGINT, signal.SIGTERM})


if __name__ == "__main__":
    main()

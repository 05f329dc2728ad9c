"""Clock for all hosts: an executor requests the driver's time and knows the bound of its error.

The monotonic clocks of two hosts are unrelated. The driver answers datagrams with its own
time; half of the quickest round trip bounds the error. Processes of one host share a clock: no error.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

BOOT = Path("/proc/sys/kernel/random/boot_id")
FIRST, TIMES = 3, 16  # requests until the first response, and after it
PATIENCE = 1.0
TIME = struct.Struct("!d")
NOTE = struct.Struct("!iq")  # number of a part of the race, and of its completed operations
OnProgress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class ClockAddress:
    """Address of the driver's clock, and its host."""

    address: tuple[str, int]
    host: str


@dataclass(frozen=True, slots=True)
class Offset:
    """Difference between the driver's monotonic clock and a host's, in seconds, and the bound of its error."""

    seconds: float
    slack: float


def host_name() -> str:
    """Return the name of this host's clock: all processes of a machine share it, no two machines do."""
    boot = BOOT.read_text().strip() if BOOT.exists() else ""
    return f"{socket.gethostname()}/{boot[:8]}"


@contextlib.contextmanager
def clock(address: str, on_progress: OnProgress) -> Iterator[ClockAddress]:
    """Serve this process's monotonic time on a free port of an address during a block.

    The progress of the race's parts arrives there, too, and is passed to `on_progress`.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.bind((address, 0))
        udp.settimeout(0.2)
        over = threading.Event()
        thread = threading.Thread(target=_answer, args=(udp, over, on_progress), daemon=True)
        thread.start()
        try:
            yield ClockAddress(udp.getsockname(), host_name())
        finally:
            over.set()
            thread.join()


def _answer(udp: socket.socket, over: threading.Event, on_progress: OnProgress) -> None:
    while not over.is_set():
        with contextlib.suppress(TimeoutError):
            message, peer = udp.recvfrom(16)
            if len(message) == NOTE.size:
                on_progress(*NOTE.unpack(message))
            else:
                udp.sendto(TIME.pack(time.monotonic()), peer)


def note(driver: ClockAddress, part: int, operations: int) -> None:
    """Send the number of a part's completed operations to the driver, without a response; the message may be lost."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.sendto(NOTE.pack(part, operations), driver.address)


def drifted(before: Offset, after: Offset) -> Offset:
    """Return the offset between two measurements, with their difference as error: clocks drift."""
    drift = abs(after.seconds - before.seconds)
    return Offset(before.seconds, drift + max(before.slack, after.slack))


def measure(driver: ClockAddress) -> Offset:
    """Return the offset of this host's clock from the driver's.

    Raises TimeoutError if the driver does not respond.
    """
    if driver.host == host_name():
        return Offset(0.0, 0.0)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.settimeout(PATIENCE)
        offsets = [offset for _ in range(FIRST) if (offset := _ask(udp, driver)) is not None]
        offsets += [offset for _ in range(TIMES if offsets else 0) if (offset := _ask(udp, driver)) is not None]
    if not offsets:
        raise TimeoutError(f"the driver's clock at {driver.address} does not respond")
    return min(offsets, key=lambda offset: offset.slack)


def _ask(udp: socket.socket, driver: ClockAddress) -> Offset | None:
    sent = time.monotonic()
    udp.sendto(b"?", driver.address)
    try:
        (driver_time,) = TIME.unpack(udp.recv(16))
    except TimeoutError:
        return None
    came = time.monotonic()
    return Offset(driver_time - (sent + came) / 2, (came - sent) / 2)

"""Ways to take from a running server what its machine gives it, and to give it back."""

from __future__ import annotations

import errno
import resource
import subprocess
import time
import uuid
from contextlib import contextmanager

import pytest

BLOCK = 1 << 12
PATIENCE = 20.0
BUSY = 32  # what `mount` exits with, among others while a file is being written
OWN_FOLDER = ".lakeproof"


def key():
    """A key of a request, which must be answered once: a UUID of version 7."""
    text = uuid.uuid4().hex
    return str(uuid.UUID(f"{text[:12]}7{text[13:16]}8{text[17:]}"))


@contextmanager
def limited(server, kind, most):
    """Let the process of a server have no more of something for a while."""
    before = resource.prlimit(server.process.pid, kind)
    resource.prlimit(server.process.pid, kind, (most, before[1]))
    try:
        yield
    finally:
        resource.prlimit(server.process.pid, kind, before)


def out_of_descriptors(server, _disk):
    """Let a server open no file beside those that it has open, nor another one in the place of one that it closes."""
    return limited(server, resource.RLIMIT_NOFILE, 0)


@contextmanager
def full(_server, disk):
    """Fill a disk."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(BLOCK))
        except OSError as error:
            assert error.errno == errno.ENOSPC
    try:
        yield
    finally:
        filler.unlink()


@contextmanager
def read_only(_server, disk):
    """Let nobody write to a disk. The database that the server has open lies on another one."""
    _remount(disk, "ro")
    try:
        yield
    finally:
        _remount(disk, "rw")


@contextmanager
def mounted(folder, size):
    """Mount a small disk in memory, and make a folder on another one. Skips where nothing may be mounted."""
    disk, database = folder / "disk", folder / "database"
    disk.mkdir()
    database.mkdir()
    made = _mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk)
    if made.returncode:
        pytest.skip(f"nothing can be mounted here: {made.stderr.strip()}")
    try:
        yield disk, database
    finally:
        subprocess.run(["umount", "--recursive", "--lazy", disk], check=True)


def bind(database, disk, api):
    """Let the database of an API's server lie in a folder of another disk."""
    own = disk / api / OWN_FOLDER
    own.mkdir(parents=True)
    assert _mount("--bind", database, own).returncode == 0


def _remount(disk, mode):
    end = time.monotonic() + PATIENCE
    while (made := _mount("-o", f"remount,{mode}", disk)).returncode == BUSY and time.monotonic() < end:
        pass
    assert made.returncode == 0, made.stderr


def _mount(*arguments):
    return subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)

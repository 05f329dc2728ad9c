"""kill -9 during management writes: each is whole or absent, and nothing is left of what is gone.

The environment variable CRASHES says how often the server is killed; a few times by default.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from itertools import count

import urllib3

from reference_server.polaris.entities.assignments import assignees_of, roles_of
from reference_server.polaris.entities.credentials import find_client, find_credentials
from reference_server.polaris.entities.grants import grants_of
from reference_server.polaris.entities.keys import GRANTEE
from reference_server.polaris.entities.names import exists
from reference_server.polaris.entities.records import list_all
from reference_server.polaris.securables import Kind, Securable, catalog, catalog_role, principal, principal_role
from reference_server.storage import pack, unpack
from reference_server.storage.directory import DirectoryStorage
from tests.reference_server.polaris.conftest import ROOT, Admin, Caller
from tests.reference_server.polaris.conftest import catalog as catalog_body

CRASHES = int(os.environ.get("CRASHES", "3"))
LONGEST = 0.4  # seconds of work before a kill
WRITERS = 3
KINDS = (Kind.CATALOG, Kind.PRINCIPAL, Kind.PRINCIPAL_ROLE)


def start(root):
    options = ["--api", "polaris", "--port", "0", "--storage", f"dir:{root}", "--bootstrap", ":".join(ROOT)]
    command = [sys.executable, "-m", "lakeproof", "serve", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    assert line.startswith("ready:"), line
    return process, line.split()[-1]


def work(admin, run, writer, secrets):
    """Make and drop catalogs, principals, roles, assignments and grants until the server is gone."""
    for number in count():
        name = f"x{run}-{writer}-{number}"
        try:
            admin.manage("POST", "/catalogs", catalog_body(name))
            secrets.append(admin.principal(name, name))
            admin.catalog_role("cr", name, role=name)
            admin.grant({"type": "catalog", "privilege": "TABLE_LIST"}, "cr", name)
            if number % 2:
                admin.manage("DELETE", f"/catalogs/{name}/catalog-roles/cr", expect=204)
                admin.manage("DELETE", f"/catalogs/{name}", expect=204)
                admin.manage("POST", f"/principals/{name}/rotate")
                admin.manage("DELETE", f"/principals/{name}", expect=204)
        except urllib3.exceptions.HTTPError:
            return


def check(storage):
    """Compare every entity with what must be there with it."""
    names = {kind: [record["name"] for record in list_all(storage, kind)] for kind in KINDS}
    roles = [principal_role(name) for name in names[Kind.PRINCIPAL_ROLE]]
    for name in names[Kind.CATALOG]:
        in_it = [catalog_role(name, record["name"]) for record in list_all(storage, Kind.CATALOG_ROLE, name)]
        assert len(grants_of(storage, catalog_role(name, "catalog_admin"))) == 2
        assert principal_role("service_admin") in assignees_of(storage, catalog_role(name, "catalog_admin"))
        roles += in_it
    for role in roles:
        assert all(exists(storage, assignee) for assignee in assignees_of(storage, role))
        assert all(exists(storage, inner) for inner in roles_of(storage, role))
    for name in names[Kind.PRINCIPAL]:
        credentials = find_credentials(storage, name)
        assert find_client(storage, credentials.client_id) == (name, credentials)
        assert all(exists(storage, role) for role in roles_of(storage, principal(name)))
    for key, _ in storage.scan(pack(GRANTEE)):
        _, owner, kind, path, role = unpack(key)
        on = Securable(Kind(kind.decode()), owner.decode(), tuple(part.decode() for part in unpack(path)))
        if on.catalog:
            assert exists(storage, catalog_role(on.catalog, role.decode()))
            assert exists(storage, catalog(on.catalog))
            assert any(securable == on for securable, _ in grants_of(storage, catalog_role(on.catalog, role.decode())))


def test_a_killed_server_leaves_nothing_half_done(http, tmp_path):
    secrets = []
    for run in range(CRASHES):
        process, url = start(tmp_path)
        token = Caller(http, url, "1.7").token_for(*ROOT).body["access_token"]
        admins = [Admin(http, url, "1.7", token) for _ in range(WRITERS)]
        writers = [
            threading.Thread(target=work, args=(admin, run, writer, secrets)) for writer, admin in enumerate(admins)
        ]
        for writer in writers:
            writer.start()
        time.sleep(random.uniform(0.1, LONGEST))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        for writer in writers:
            writer.join()
        storage = DirectoryStorage(tmp_path / "polaris" / ".lakeproof" / "state.sqlite")
        check(storage)
        storage.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert secrets
    assert not any(secret.encode() in kept for _, secret in secrets)

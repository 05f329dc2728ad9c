"""Writers of Polaris' management API, and what must be so after they were interrupted."""

from __future__ import annotations

from functools import partial
from itertools import count

from reference_server.polaris.entities.assignments import assignees_of, roles_of
from reference_server.polaris.entities.credentials import find_client, find_credentials
from reference_server.polaris.entities.grants import grants_of
from reference_server.polaris.entities.keys import GRANTEE
from reference_server.polaris.entities.names import exists
from reference_server.polaris.entities.records import list_all
from reference_server.polaris.securables import (
    Securable,
    SecurableType,
    catalog,
    catalog_role,
    principal,
    principal_role,
)
from reference_server.storage import pack, unpack
from reference_server.storage.directory import DirectoryStorage
from tests.reference_server.crashes import Crashes
from tests.reference_server.polaris.conftest import ROOT, Admin, Caller
from tests.reference_server.polaris.conftest import catalog as catalog_body

WRITERS = 3
KINDS = (SecurableType.CATALOG, SecurableType.PRINCIPAL, SecurableType.PRINCIPAL_ROLE)


class PolarisCrashes(Crashes):
    """Catalogs, principals, roles, assignments and grants that are made and dropped."""

    api = "polaris"
    options = ("--bootstrap", ":".join(ROOT))
    shortest = 0.1

    def __init__(self, root, seed=None):
        super().__init__(root, seed)
        self.secrets = []
        self.there, self.gone = set(), set()  # what was confirmed: a kind and a name

    def start(self):
        super().start()
        token = Caller(self.send, self.url, "1.7").token_for(*ROOT).body["access_token"]
        self.admin = Admin(self.send, self.url, "1.7", token)

    def send(self, method, url, **sent):
        return self.request(method, url.removeprefix(self.url), **sent)

    def writers(self):
        return [partial(self.write, self.admin, f"x{self.tally.kills}-{writer}") for writer in range(WRITERS)]

    def write(self, admin, start):
        for number in count():
            name = f"{start}-{number}"
            self.confirm(admin.manage("POST", "/catalogs", catalog_body(name), expect=201), SecurableType.CATALOG, name)
            self.secrets.append(admin.principal(name, name)[1])
            self.confirm(True, SecurableType.PRINCIPAL, name)
            admin.catalog_role("cr", name, role=name)
            admin.grant({"type": "catalog", "privilege": "TABLE_LIST"}, "cr", name)
            self.tally.acknowledged += 2
            if number % 2:
                admin.manage("DELETE", f"/catalogs/{name}/catalog-roles/cr", expect=204)
                self.there.discard((SecurableType.CATALOG, name))
                admin.manage("DELETE", f"/catalogs/{name}", expect=204)
                self.gone.add((SecurableType.CATALOG, name))
                admin.manage("POST", f"/principals/{name}/rotate")
                self.there.discard((SecurableType.PRINCIPAL, name))
                admin.manage("DELETE", f"/principals/{name}", expect=204)
                self.gone.add((SecurableType.PRINCIPAL, name))
                self.tally.acknowledged += 4

    def confirm(self, _answer, kind, name):
        self.there.add((kind, name))
        self.tally.acknowledged += 1

    def judge(self):
        """Compare what is there with the answers, and every entity with what must be there with it."""
        storage = DirectoryStorage(self.root / "polaris" / ".lakeproof" / "state.sqlite")
        names = {kind: {record["name"] for record in list_all(storage, kind)} for kind in KINDS}
        self.tally.lost += [f"{kind} {name}" for kind, name in self.there if name not in names[kind]]
        self.tally.lost += [f"the drop of {kind} {name}" for kind, name in self.gone if name in names[kind]]
        self.there.clear()
        self.gone.clear()
        self.tally.torn += torn_entities(storage, names)
        self.tally.left += stray_grants(storage)
        storage.close()
        for name in names[SecurableType.CATALOG]:
            for record in self.admin.manage("GET", f"/catalogs/{name}/catalog-roles").body["roles"]:
                if record["name"] != "catalog_admin":
                    self.admin.manage("DELETE", f"/catalogs/{name}/catalog-roles/{record['name']}", expect=204)
            self.admin.manage("DELETE", f"/catalogs/{name}", expect=204)
        for kind, path in ((SecurableType.PRINCIPAL, "principals"), (SecurableType.PRINCIPAL_ROLE, "principal-roles")):
            for name in names[kind] - {"root", "service_admin"}:
                self.admin.manage("DELETE", f"/{path}/{name}", expect=204)

    def kept_secrets(self):
        """Return the secrets that a file of the directory has as they were issued."""
        kept = b"".join(path.read_bytes() for path in self.root.rglob("*") if path.is_file())
        return [secret for secret in self.secrets if secret.encode() in kept]


def torn_entities(storage, names):
    """Yield the name of each catalog, role or principal that lacks one of its parts."""
    roles = [principal_role(name) for name in names[SecurableType.PRINCIPAL_ROLE]]
    for name in names[SecurableType.CATALOG]:
        admin = catalog_role(name, "catalog_admin")
        roles += [catalog_role(name, record["name"]) for record in list_all(storage, SecurableType.CATALOG_ROLE, name)]
        if len(grants_of(storage, admin)) != 2 or principal_role("service_admin") not in assignees_of(storage, admin):
            yield f"the catalog_admin of {name}"
    for role in roles:
        if not all(exists(storage, other) for other in (*assignees_of(storage, role), *roles_of(storage, role))):
            yield f"assignments of {role}"
    for name in names[SecurableType.PRINCIPAL]:
        credentials = find_credentials(storage, name)
        if find_client(storage, credentials.client_id) != (name, credentials):
            yield f"the credentials of {name}"
        if not all(exists(storage, role) for role in roles_of(storage, principal(name))):
            yield f"the roles of {name}"


def stray_grants(storage):
    """Yield grants of or on what is gone."""
    for key, _ in storage.scan(pack(GRANTEE)):
        _, owner, kind, path, role = unpack(key)
        on = Securable(SecurableType(kind.decode()), owner.decode(), tuple(part.decode() for part in unpack(path)))
        if on.catalog:
            grantee = catalog_role(on.catalog, role.decode())
            there = exists(storage, grantee) and exists(storage, catalog(on.catalog))
            if not there or not any(securable == on for securable, _ in grants_of(storage, grantee)):
                yield f"a grant on {on} to {grantee}"

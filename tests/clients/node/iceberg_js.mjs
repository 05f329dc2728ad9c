// iceberg-js, step by step: see tests/clients/steps.py.

import assert from "node:assert/strict";
import { getCurrentSchema, IcebergRestCatalog } from "iceberg-js";
import { did, refused, session } from "./steps.mjs";

const SCHEMA = {
  type: "struct",
  "schema-id": 0,
  fields: [
    { id: 1, name: "id", type: "long", required: true },
    { id: 2, name: "name", type: "string", required: false },
  ],
};

function connect(token) {
  const auth = token ? { type: "bearer", token } : { type: "none" };
  return new IcebergRestCatalog({ baseUrl: session.url, auth, accessDelegation: ["vended-credentials"] });
}

if (session.token) {
  const error = await refused(() => connect("wrong").listNamespaces());
  assert.equal(error.status, 401);
}
const catalog = connect(session.token);
const ns = { namespace: ["ns"] };
const t = { ...ns, name: "t" };

await catalog.createNamespace(ns, { properties: { owner: "me" } });
assert.deepEqual(await catalog.listNamespaces(), [ns]);
assert.equal((await catalog.loadNamespaceMetadata(ns)).properties.owner, "me");
assert.equal(await catalog.createNamespaceIfNotExists(ns), undefined);
did("namespaces");

await catalog.createTable(ns, { name: "t", schema: SCHEMA, properties: { owner: "me" } });
const again = await refused(() => catalog.createTable(ns, { name: "t", schema: SCHEMA }));
assert.ok(again.isConflict());
assert.equal(again.icebergType, "AlreadyExistsException");
did("create");

const loaded = await catalog.loadTable(t);
assert.equal(getCurrentSchema(loaded).fields[1].name, "name");
assert.equal(loaded.properties.owner, "me");
did("read");

assert.deepEqual(await catalog.listTables(ns), [t]);
did("list");

await catalog.dropTable(t, { purge: true });
const missing = await refused(() => catalog.loadTable(t));
assert.ok(missing.isNotFound());
await catalog.dropNamespace(ns);
assert.equal(await catalog.namespaceExists(ns), false);
did("drop");

for (const [kind, name] of session.names) {
  const unusual = { namespace: [name] };
  const named = { ...unusual, name };
  await catalog.createNamespace(unusual);
  await catalog.createTable(unusual, { name, schema: SCHEMA });
  assert.deepEqual(await catalog.listTables(unusual), [named]);
  assert.ok(await catalog.tableExists(named));
  await catalog.dropTable(named);
  await catalog.dropNamespace(unusual);
  did(kind);
}

// LanceDB for TypeScript, through the namespace: see tests/clients/steps.py.

import assert from "node:assert/strict";
import { connectNamespace } from "@lancedb/lancedb";
import { did, refused, session } from "./steps.mjs";

const ROWS = [
  { id: 1, name: "a" },
  { id: 2, name: "b" },
];
const LATEST = { readConsistencyInterval: 0 };

function connect(token) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  return connectNamespace("rest", { uri: session.url, headers }, LATEST);
}

if (session.token) {
  const wrong = await connect("wrong");
  assert.match((await refused(() => wrong.listNamespaces())).message, /401|nauthenticated|nauthorized/);
}
const db = await connect(session.token);
const ns = ["ns"];

await db.createNamespace(ns, { properties: { owner: "me" } });
assert.deepEqual((await db.listNamespaces()).namespaces, ["ns"]);
assert.equal((await db.describeNamespace(ns)).properties.owner, "me");
did("namespaces");

const table = await db.createTable("t", ROWS, ns);
assert.match((await refused(() => db.createTable("t", ROWS, ns))).message, /already exists/);
did("create");

await table.add([{ id: 3, name: "c" }]);
did("write");

const opened = await db.openTable("t", ns);
assert.equal(await opened.countRows("id > 1"), 2);
assert.deepEqual((await opened.query().where("id = 3").toArray()).map((row) => row.name), ["c"]);
did("read");

assert.deepEqual(await db.tableNames(ns), ["t"]);
did("list");

await opened.addColumns([{ name: "double", valueSql: "id * 2" }]);
assert.deepEqual((await opened.schema()).fields.map((field) => field.name), ["id", "name", "double"]);
did("evolve");

const tags = await opened.tags();
await tags.create("start", 1);
assert.equal(await tags.getVersion("start"), 1);
did("branches");

const other = await db.openTable("t", ns);
await other.checkoutLatest();
await Promise.all([opened.add([{ id: 4, name: "d", double: 8 }]), other.add([{ id: 5, name: "e", double: 10 }])]);
await opened.checkoutLatest();
assert.equal(await opened.countRows(), 5);
did("conflict");

await db.renameTable("t", "u", { namespacePath: ns });
assert.deepEqual(await db.tableNames(ns), ["u"]);
did("rename");

await db.dropTable("u", ns);
assert.match((await refused(() => db.openTable("u", ns))).message, /not found|does not exist/);
await db.dropNamespace(ns);
assert.deepEqual((await db.listNamespaces()).namespaces, []);
did("drop");

for (const [kind, name] of session.names) {
  await db.createNamespace([name]);
  await db.createTable(name, ROWS, [name]);
  assert.deepEqual(await db.tableNames([name]), [name]);
  assert.equal(await (await db.openTable(name, [name])).countRows(), 2);
  await db.dropTable(name, [name]);
  await db.dropNamespace([name]);
  did(kind);
}

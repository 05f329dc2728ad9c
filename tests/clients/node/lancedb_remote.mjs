// LanceDB for TypeScript as a remote client (`db://`): see tests/clients/steps.py.

import assert from "node:assert/strict";
import { connect as open, Index } from "@lancedb/lancedb";
import { did, refused, session } from "./steps.mjs";

const rows = (...ids) => ids.map((id) => ({ id, vector: [id, 1], name: "a" }));
const connect = (token) => open("db://lakeproof", { apiKey: token || "none", hostOverride: session.url });
const ids = (found) => found.map((row) => Number(row.id));

if (session.token) {
  const wrong = await connect("wrong");
  assert.match((await refused(() => wrong.tableNames())).message, /401|nauthenticated|nauthorized/);
}
const db = await connect(session.token);
const ns = ["ns"];

await db.createNamespace(ns, { properties: { owner: "me" } });
assert.deepEqual((await db.listNamespaces()).namespaces, ["ns"]);
assert.equal((await db.describeNamespace(ns)).properties.owner, "me");
did("namespaces");

const table = await db.createTable("t", rows(1, 2, 3), ns);
assert.match((await refused(() => db.createTable("t", rows(1), ns))).message, /409|exists/);
did("create");

await table.add([{ id: 4, vector: [4, 1], name: "z" }]);
assert.equal((await table.update({ where: "id = 1", values: { name: "b" } })).rowsUpdated, 1);
await table.delete("id = 2");
const merged = await table
  .mergeInsert("id")
  .whenMatchedUpdateAll()
  .whenNotMatchedInsertAll()
  .execute(rows(3, 5));
assert.deepEqual([merged.numUpdatedRows, merged.numInsertedRows], [1, 1]);
did("write");

const opened = await db.openTable("t", ns);
assert.deepEqual([await opened.countRows(), await opened.countRows("id > 3")], [4, 2]);
assert.deepEqual((await opened.query().where("id = 4").toArray()).map((row) => row.name), ["z"]);
assert.deepEqual(ids(await opened.vectorSearch([5, 1]).limit(2).toArray()), [5, 4]);
did("read");

assert.deepEqual(await db.tableNames(ns), ["t"]);
did("list");

await opened.addColumns([{ name: "double", valueSql: "id * 2" }]);
assert.deepEqual((await opened.schema()).fields.map((field) => field.name), ["id", "vector", "name", "double"]);
await opened.createIndex("id", { config: Index.btree() });
await opened.createIndex("name", { config: Index.fts() });
assert.deepEqual((await opened.listIndices()).map((index) => index.columns[0]).sort(), ["id", "name"]);
assert.equal((await opened.indexStats("id_idx")).numIndexedRows, 4);
assert.deepEqual(ids(await opened.search("z", "fts").toArray()), [4]);
await opened.dropIndex("id_idx");
assert.deepEqual((await opened.listIndices()).map((index) => index.columns[0]), ["name"]);
did("evolve");

const tags = await opened.tags();
await tags.create("start", 1);
assert.equal(await tags.getVersion("start"), 1);
assert.equal((await tags.list()).start.version, 1);
assert.deepEqual((await opened.listVersions()).slice(0, 2).map((version) => version.version), [1, 2]);
await opened.checkout(1);
assert.equal(await opened.countRows(), 3);
await opened.restore();
await opened.checkoutLatest();
assert.deepEqual(ids(await opened.query().toArray()).sort(), [1, 2, 3]);
did("branches");

const other = await db.openTable("t", ns);
await Promise.all([opened.add(rows(6)), other.add(rows(7))]);
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
  await db.createTable(name, rows(1, 2), [name]);
  assert.deepEqual(await db.tableNames([name]), [name]);
  assert.equal(await (await db.openTable(name, [name])).countRows(), 2);
  await db.dropTable(name, [name]);
  await db.dropNamespace([name]);
  did(kind);
}

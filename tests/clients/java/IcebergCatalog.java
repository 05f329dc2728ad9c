// Iceberg's own client for Java, step by step: see tests/clients/steps.py.

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.NotAuthorizedException;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileAppender;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.rest.RESTCatalog;
import org.apache.iceberg.types.Types;

public class IcebergCatalog {
  static final Schema SCHEMA =
      new Schema(
          Types.NestedField.required(1, "id", Types.LongType.get()),
          Types.NestedField.optional(2, "name", Types.StringType.get()));

  interface Call {
    void run() throws Exception;
  }

  static void refused(Class<? extends Exception> kind, Call call) {
    try {
      call.run();
    } catch (Exception error) {
      same(kind, error.getClass());
      return;
    }
    throw new AssertionError("not refused with " + kind);
  }

  static void same(Object expected, Object actual) {
    if (!expected.equals(actual)) {
      throw new AssertionError("expected " + expected + ", got " + actual);
    }
  }

  static void did(String step) {
    System.out.println("step " + step);
  }

  static RESTCatalog connect(String url, Map<String, String> access) {
    Map<String, String> properties = new HashMap<>(access);
    properties.put("uri", url);
    RESTCatalog catalog = new RESTCatalog();
    catalog.setConf(new Configuration());
    catalog.initialize("steps", properties);
    return catalog;
  }

  // Write a data file with rows of a table.
  static DataFile written(Table table, long... ids) throws Exception {
    OutputFile file = table.io().newOutputFile(table.location() + "/data/" + UUID.randomUUID() + ".parquet");
    FileAppender<Record> rows =
        Parquet.write(file).schema(table.schema()).createWriterFunc(GenericParquetWriter::create).build();
    try (rows) {
      for (long id : ids) {
        Record row = GenericRecord.create(table.schema());
        row.setField("id", id);
        rows.add(row);
      }
    }
    return DataFiles.builder(table.spec())
        .withPath(file.location())
        .withFormat(FileFormat.PARQUET)
        .withFileSizeInBytes(rows.length())
        .withMetrics(rows.metrics())
        .build();
  }

  static List<Object> ids(Table table) throws Exception {
    List<Object> found = new ArrayList<>();
    try (CloseableIterable<Record> rows = IcebergGenerics.read(table).select("id").build()) {
      rows.forEach(row -> found.add(row.getField("id")));
    }
    return found.stream().sorted().toList();
  }

  static void exchange(String url, String credential) throws Exception {
    Map<String, String> access = Map.of("credential", credential, "oauth2-server-uri", url + "/v1/oauth/tokens");
    refused(NotAuthorizedException.class, () -> connect(url, Map.of()).listNamespaces());
    try (RESTCatalog catalog = connect(url, access)) {
      same(List.of(), catalog.listNamespaces());
      Thread.sleep(1200); // longer than the token lives
      same(List.of(), catalog.listNamespaces());
    }
    did("oauth");
  }

  public static void main(String[] given) throws Exception {
    String url = given[0];
    String token = given[1];
    String credential = given[2];
    if (credential.isEmpty()) {
      take(url, token, List.of(given).subList(3, given.length));
    } else {
      exchange(url, credential);
    }
    System.exit(0); // threads of the client live on
  }

  static void take(String url, String token, List<String> names) throws Exception {
    if (!token.isEmpty()) {
      refused(NotAuthorizedException.class, () -> connect(url, Map.of("token", "wrong")).listNamespaces());
    }
    RESTCatalog catalog = connect(url, token.isEmpty() ? Map.of() : Map.of("token", token));
    Namespace ns = Namespace.of("ns");
    TableIdentifier t = TableIdentifier.of(ns, "t");

    catalog.createNamespace(ns, new HashMap<>(Map.of("owner", "me"))); // it looks for a null key
    refused(AlreadyExistsException.class, () -> catalog.createNamespace(ns));
    same(List.of(ns), catalog.listNamespaces());
    same("me", catalog.loadNamespaceMetadata(ns).get("owner"));
    did("namespaces");

    Table table = catalog.createTable(t, SCHEMA);
    refused(AlreadyExistsException.class, () -> catalog.createTable(t, SCHEMA));
    did("create");

    table.newAppend().appendFile(written(table, 1, 2, 3)).commit();
    did("write");

    same(List.of(1L, 2L, 3L), ids(catalog.loadTable(t)));
    did("read");

    same(List.of(t), catalog.listTables(ns));
    did("list");

    Table stale = catalog.loadTable(t);
    table.updateSchema().addColumn("more", Types.LongType.get()).commit();
    same(3, catalog.loadTable(t).schema().columns().size());
    did("evolve");

    refused(
        CommitFailedException.class,
        () -> stale.updateSchema().addColumn("other", Types.LongType.get()).commit());
    did("conflict");

    table.manageSnapshots().createBranch("work").commit();
    table.newAppend().appendFile(written(table, 4)).toBranch("work").commit();
    TableScan scan = catalog.loadTable(t).newScan().useRef("work");
    try (var tasks = scan.planFiles()) {
      List<Object> files = new ArrayList<>();
      tasks.forEach(files::add);
      same(2, files.size());
    }
    same(List.of(1L, 2L, 3L), ids(catalog.loadTable(t)));
    did("branches");

    TableIdentifier u = TableIdentifier.of(ns, "u");
    catalog.renameTable(t, u);
    same(List.of(u), catalog.listTables(ns));
    did("rename");

    TableIdentifier v = TableIdentifier.of(ns, "v");
    catalog.buildView(v).withSchema(SCHEMA).withDefaultNamespace(ns).withQuery("spark", "SELECT 1 AS id").create();
    same("SELECT 1 AS id", catalog.loadView(v).sqlFor("spark").sql());
    same(List.of(v), catalog.listViews(ns));
    catalog.dropView(v);
    same(false, catalog.viewExists(v));
    did("views");

    catalog.dropTable(u, true);
    refused(NoSuchTableException.class, () -> catalog.loadTable(u));
    catalog.dropNamespace(ns);
    refused(NoSuchNamespaceException.class, () -> catalog.loadNamespaceMetadata(ns));
    did("drop");

    for (String pair : names) {
      String name = pair.substring(pair.indexOf('=') + 1);
      Namespace unusual = Namespace.of(name);
      TableIdentifier named = TableIdentifier.of(unusual, name);
      catalog.createNamespace(unusual);
      Table made = catalog.createTable(named, SCHEMA);
      made.newAppend().appendFile(written(made, 1)).commit();
      same(List.of(named), catalog.listTables(unusual));
      same(List.of(1L), ids(catalog.loadTable(named)));
      catalog.dropTable(named);
      catalog.dropNamespace(unusual);
      did(pair.substring(0, pair.indexOf('=')));
    }
  }
}

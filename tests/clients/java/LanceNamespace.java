// The client that lance-namespace generates for Java, step by step: see tests/clients/steps.py.

import com.lancedb.lance.namespace.client.apache.ApiClient;
import com.lancedb.lance.namespace.client.apache.ApiException;
import com.lancedb.lance.namespace.client.apache.api.NamespaceApi;
import com.lancedb.lance.namespace.client.apache.api.TableApi;
import com.lancedb.lance.namespace.model.AlterTableAddColumnsRequest;
import com.lancedb.lance.namespace.model.CountTableRowsRequest;
import com.lancedb.lance.namespace.model.CreateEmptyTableRequest;
import com.lancedb.lance.namespace.model.CreateNamespaceRequest;
import com.lancedb.lance.namespace.model.CreateTableTagRequest;
import com.lancedb.lance.namespace.model.DescribeNamespaceRequest;
import com.lancedb.lance.namespace.model.DescribeTableRequest;
import com.lancedb.lance.namespace.model.DropNamespaceRequest;
import com.lancedb.lance.namespace.model.DropTableRequest;
import com.lancedb.lance.namespace.model.NewColumnTransform;
import com.lancedb.lance.namespace.model.TableExistsRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;

public class LanceNamespace {
  interface Call {
    void run() throws ApiException;
  }

  static void refused(int status, Call call) throws ApiException {
    try {
      call.run();
    } catch (ApiException error) {
      same(status, error.getCode());
      return;
    }
    throw new AssertionError("not refused with " + status);
  }

  static void same(Object expected, Object actual) {
    if (!expected.equals(actual)) {
      throw new AssertionError("expected " + expected + ", got " + actual);
    }
  }

  static void did(String step) {
    System.out.println("step " + step);
  }

  // Rows as the body of a request.
  static byte[] rows(long... ids) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    try (BufferAllocator allocator = new RootAllocator();
        BigIntVector column = new BigIntVector("id", allocator);
        VectorSchemaRoot root = VectorSchemaRoot.of(column);
        ArrowStreamWriter writer = new ArrowStreamWriter(root, null, body)) {
      for (int row = 0; row < ids.length; row++) {
        column.setSafe(row, ids[row]);
      }
      root.setRowCount(ids.length);
      writer.writeBatch();
      writer.end();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    return body.toByteArray();
  }

  static ApiClient connect(String url, String token) {
    ApiClient client = new ApiClient().setBasePath(url);
    return token.isEmpty() ? client : client.addDefaultHeader("Authorization", "Bearer " + token);
  }

  public static void main(String[] given) throws ApiException {
    String url = given[0];
    String token = given[1];
    if (!token.isEmpty()) {
      refused(401, () -> new NamespaceApi(connect(url, "wrong")).listNamespaces("$", "$", null, null));
    }
    ApiClient client = connect(url, token);
    NamespaceApi namespaces = new NamespaceApi(client);
    TableApi tables = new TableApi(client);

    // A request without an id sends an empty one, which names the root.
    CreateNamespaceRequest creation = new CreateNamespaceRequest().addIdItem("ns").properties(Map.of("owner", "me"));
    namespaces.createNamespace("ns", creation, "$");
    refused(409, () -> namespaces.createNamespace("ns", creation, "$"));
    same("me", namespaces.describeNamespace("ns", new DescribeNamespaceRequest().addIdItem("ns"), "$").getProperties().get("owner"));
    same(List.of("ns"), List.copyOf(namespaces.listNamespaces("$", "$", null, null).getNamespaces()));
    did("namespaces");

    tables.createTable("ns$t", rows(1, 2), "$", null, null, null);
    refused(409, () -> tables.createTable("ns$t", rows(1), "$", null, null, null));
    did("create");

    tables.insertIntoTable("ns$t", rows(3), "$", "append");
    did("write");

    if (tables.describeTable("ns$t", new DescribeTableRequest().id(List.of("ns", "t")), "$").getLocation() == null) {
      throw new AssertionError("no location");
    }
    CountTableRowsRequest counted = new CountTableRowsRequest().id(List.of("ns", "t"));
    same(3L, tables.countTableRows("ns$t", counted, "$"));
    did("read");

    same(List.of("t"), List.copyOf(namespaces.listTables("ns", "$", null, null).getTables()));
    did("list");

    NewColumnTransform column = new NewColumnTransform().name("double").expression("id * 2");
    tables.alterTableAddColumns(
        "ns$t", new AlterTableAddColumnsRequest().id(List.of("ns", "t")).addNewColumnsItem(column), "$");
    did("evolve");

    CreateTableTagRequest tag = new CreateTableTagRequest().id(List.of("ns", "t")).tag("start").version(1L);
    tables.createTableTag("ns$t", tag, "$");
    did("branches");

    tables.dropTable("ns$t", new DropTableRequest().id(List.of("ns", "t")), "$");
    refused(404, () -> tables.tableExists("ns$t", new TableExistsRequest().id(List.of("ns", "t")), "$"));
    namespaces.dropNamespace("ns", new DropNamespaceRequest().addIdItem("ns"), "$");
    same(List.of(), List.copyOf(namespaces.listNamespaces("$", "$", null, null).getNamespaces()));
    did("drop");

    for (String pair : List.of(given).subList(3, given.length)) {
      String name = pair.substring(pair.indexOf('=') + 1);
      List<String> id = List.of(name, name);
      namespaces.createNamespace(name, new CreateNamespaceRequest().addIdItem(name), "$");
      same(List.of(name), List.copyOf(namespaces.listNamespaces("$", "$", null, null).getNamespaces()));
      tables.createEmptyTable(name + "$" + name, new CreateEmptyTableRequest().id(id), "$");
      tables.dropTable(name + "$" + name, new DropTableRequest().id(id), "$");
      namespaces.dropNamespace(name, new DropNamespaceRequest().addIdItem(name), "$");
      did(pair.substring(0, pair.indexOf('=')));
    }
  }
}

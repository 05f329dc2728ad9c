import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Map;
import java.util.UUID;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DataFiles;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.rest.RESTCatalog;

/** Appends a file to each table that a line of the input names, and prints how that ended. */
public class RetryingClient {
  public static void main(String[] arguments) throws Exception {
    String url = arguments[0];
    RESTCatalog catalog = new RESTCatalog();
    catalog.initialize(
        "mock", Map.of("uri", url, "credential", "root:s3cret", "oauth2-server-uri", url + "/v1/oauth/tokens"));
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String name = lines.readLine(); name != null; name = lines.readLine()) {
      String outcome = "success";
      try {
        Table table = catalog.loadTable(TableIdentifier.of(Namespace.of("a"), name));
        DataFile file =
            DataFiles.builder(table.spec())
                .withPath(table.location() + "/data/" + UUID.randomUUID() + ".parquet")
                .withFileSizeInBytes(10)
                .withRecordCount(1)
                .build();
        table.newAppend().appendFile(file).commit();
      } catch (Exception error) {
        outcome = error.getClass().getSimpleName();
      }
      System.out.println("outcome " + outcome);
    }
  }
}

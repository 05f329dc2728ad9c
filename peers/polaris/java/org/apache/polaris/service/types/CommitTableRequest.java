package org.apache.polaris.service.types;
import org.apache.iceberg.rest.requests.UpdateTableRequest;
public class CommitTableRequest extends UpdateTableRequest {
  public CommitTableRequest() { super(); }
}

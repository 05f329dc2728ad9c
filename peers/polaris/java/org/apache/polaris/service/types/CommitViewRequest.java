package org.apache.polaris.service.types;
import org.apache.iceberg.rest.requests.UpdateTableRequest;
public class CommitViewRequest extends UpdateTableRequest {
  public CommitViewRequest() { super(); }
}

package org.apache.polaris.service.types;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.apache.iceberg.TableMetadata;
public class TableUpdateNotification {
  private String tableName;
  private Long timestamp;
  private String tableUuid;
  private String metadataLocation;
  private TableMetadata metadata;
  @JsonProperty("table-name") public String getTableName() { return tableName; }
  public void setTableName(String v) { tableName = v; }
  @JsonProperty("timestamp") public Long getTimestamp() { return timestamp; }
  public void setTimestamp(Long v) { timestamp = v; }
  @JsonProperty("table-uuid") public String getTableUuid() { return tableUuid; }
  public void setTableUuid(String v) { tableUuid = v; }
  @JsonProperty("metadata-location") public String getMetadataLocation() { return metadataLocation; }
  public void setMetadataLocation(String v) { metadataLocation = v; }
  @JsonProperty("metadata") public TableMetadata getMetadata() { return metadata; }
  public void setMetadata(TableMetadata v) { metadata = v; }
  public TableUpdateNotification() {}
}

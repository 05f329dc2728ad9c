package org.apache.polaris.service.types;
import com.fasterxml.jackson.annotation.JsonProperty;
public class NotificationRequest {
  private NotificationType notificationType;
  private TableUpdateNotification payload;
  @JsonProperty("notification-type") public NotificationType getNotificationType() { return notificationType; }
  public void setNotificationType(NotificationType t) { notificationType = t; }
  @JsonProperty("payload") public TableUpdateNotification getPayload() { return payload; }
  public void setPayload(TableUpdateNotification p) { payload = p; }
}

package org.apache.polaris.service.types;
import java.util.Arrays;
import java.util.Optional;
public enum NotificationType {
  UNKNOWN(0), CREATE(1), UPDATE(2), DROP(3), VALIDATE(4);
  private final int id;
  NotificationType(int id) { this.id = id; }
  public static Optional<NotificationType> lookupById(int id) { return Arrays.stream(values()).filter(t -> t.id == id).findFirst(); }
  public int getId() { return id; }
  public String getDisplayName() { return name(); }
  public static Optional<NotificationType> lookupByName(String name) {
    return Arrays.stream(values()).filter(t -> t.name().equalsIgnoreCase(name)).findFirst();
  }
}

package org.apache.polaris.service.types;
import org.apache.iceberg.catalog.Namespace;
public record PolicyIdentifier(Namespace namespace, String name) {
  public static PolicyIdentifierBuilder builder() { return new PolicyIdentifierBuilder(); }
}

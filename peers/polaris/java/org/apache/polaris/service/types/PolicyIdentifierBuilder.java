package org.apache.polaris.service.types;
import org.apache.iceberg.catalog.Namespace;
public class PolicyIdentifierBuilder {
  private Namespace namespace;
  private String name;
  public PolicyIdentifierBuilder namespace(Namespace n) { namespace = n; return this; }
  public PolicyIdentifierBuilder name(String n) { name = n; return this; }
  public PolicyIdentifier build() { return new PolicyIdentifier(namespace, name); }
}

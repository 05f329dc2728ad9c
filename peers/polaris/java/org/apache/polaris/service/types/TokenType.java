package org.apache.polaris.service.types;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
public enum TokenType {
  ACCESS_TOKEN("access_token"), REFRESH_TOKEN("refresh_token"), ID_TOKEN("id_token"), SAML1("saml1"), SAML2("saml2"), JWT("jwt");
  private final String value;
  TokenType(String v) { value = "urn:ietf:params:oauth:token-type:" + v; }
  @JsonValue public String getValue() { return value; }
  @Override public String toString() { return value; }
  @JsonCreator public static TokenType fromString(String value) {
    for (TokenType b : values()) if (b.value.equals(value)) return b;
    throw new IllegalArgumentException("Unexpected value '" + value + "'");
  }
}

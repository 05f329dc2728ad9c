"""Java classes for the schemas of a document, in the form that Polaris' jars use.

A class has final fields, a constructor with all and one with the required fields, getters and a builder. It inherits
the fields of a schema with a discriminator in `allOf`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

IMPORTS = """
import com.fasterxml.jackson.annotation.*;
import jakarta.validation.Valid;
import jakarta.validation.constraints.*;
import java.util.*;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.polaris.service.types.*;
"""
SCALARS = {"string": "String", "boolean": "Boolean", "number": "Double", "object": "Object"}
EMPTY = {"List": "new ArrayList<>()", "Set": "new LinkedHashSet<>()", "Map": "new HashMap<>()"}
Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class JavaField:
    """Field of a class; `rules` are the annotations that validate it, `default` replaces null."""

    json: str
    name: str
    type: str
    required: bool
    rules: str
    default: str = ""

    @property
    def declaration(self) -> str:
        """Declaration of the field as a parameter."""
        return f"{self.type} {self.name}"

    @property
    def parameter(self) -> str:
        """Declaration of the field as a parameter that is parsed from JSON."""
        return f'@JsonProperty(value = "{self.json}"{", required = true" if self.required else ""}) {self.declaration}'

    @property
    def getter(self) -> str:
        """Method that returns the field, and serializes it as JSON."""
        head = f'@JsonProperty("{self.json}") public {self.type} get{_capital(self.name)}()'
        return f"{head} {{ return {self.name}; }}"

    def assigned(self, value: str) -> str:
        """Return the statement that sets the field."""
        return (
            f"this.{self.name} = {f'Objects.requireNonNullElse({value}, {self.default})' if self.default else value};"
        )


class Models:
    """Schemas of a document as Java classes of one package."""

    def __init__(self, schemas: Mapping[str, Schema], package: str) -> None:
        self.schemas = dict(schemas)
        self.package = package
        self.enums: dict[str, list[str]] = {}

    def classes(self, names: list[str]) -> Iterator[tuple[str, str]]:
        """Yield the name and the source of each class, also for nested objects."""
        for name in names:
            schema = self.schemas[name]
            if "enum" in schema:
                source = f"public enum {name} {{ {', '.join(schema['enum'])} }}"
            else:
                source = self._class(name, schema)
            yield name, f"package {self.package};\n{IMPORTS}\n{source}\n"
        for name in [name for name in self.schemas if name not in names and self.schemas[name].get("x-nested")]:
            yield name, f"package {self.package};\n{IMPORTS}\n{self._class(name, self.schemas[name])}\n"

    def type_of(self, schema: Schema, owner: str = "", field: str = "") -> str:
        """Return the Java type of a value; an object with fields gets its own class."""
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            target = self.schemas.get(name, {})
            plain = "properties" not in target and "allOf" not in target and "enum" not in target
            return self.type_of(target, name) if plain and target else name
        if "enum" in schema:
            return f"{_capital(field)}Enum"
        kinds = schema.get("type", "object")
        kind = next(kind for kind in ([kinds] if isinstance(kinds, str) else kinds) if kind != "null")
        if kind == "array":
            item = self.type_of(schema["items"])
            return f"{'Set' if schema.get('uniqueItems') else 'List'}<{self._valid(schema['items'])}{item}>"
        if kind == "integer":
            return "Long" if schema.get("format") == "int64" else "Integer"
        if "properties" in schema and owner:
            self.schemas[name := owner + _capital(field)] = {**schema, "x-nested": True}
            return name
        if "additionalProperties" in schema:
            return f"Map<String, {self.type_of(schema['additionalProperties'])}>"
        return SCALARS[kind]

    def _valid(self, schema: Schema) -> str:
        name = schema.get("$ref", "").rpartition("/")[2]
        target = self.schemas.get(name, {})
        return "@Valid " if "properties" in target or "allOf" in target else ""

    def fields(self, name: str, schema: Schema) -> list[JavaField]:
        """Return a schema's own fields, without the fields of its parent."""
        own: dict[str, Schema] = {}
        required: set[str] = set()
        for given in (schema, *schema.get("allOf", ())):
            part = self.schemas[_ref(given)] if _ref(given) not in ("", self.parent(schema)) else given
            own |= part.get("properties", {})
            required |= set(part.get("required", ()))
        return [self._field(name, json, value, json in required) for json, value in own.items()]

    def _field(self, owner: str, json: str, schema: Schema, required: bool) -> JavaField:
        type = self.type_of(schema, owner, json)
        target = self.schemas.get(_ref(schema), schema)
        skipped = schema.get("x-polaris-skip-valid-annotation")
        valid = self._valid(schema) if not skipped else ""
        default = EMPTY.get(type.partition("<")[0], "")
        if "default" in schema:
            default = f"{type}.{schema['default']}" if "enum" in schema else str(schema["default"]).lower()
        return JavaField(
            json, _camel(json), type, required, f"{'@NotNull ' if required else ''}{rules(target)}{valid}", default
        )

    def parent(self, schema: Schema) -> str:
        """Return the name of the schema with a discriminator that a schema extends, "" for none."""
        refs = [_ref(part) for part in schema.get("allOf", ()) if "$ref" in part]
        return next((name for name in refs if "discriminator" in self.schemas[name]), "")

    def _class(self, name: str, schema: Schema) -> str:
        parent = self.parent(schema)
        inherited = self.fields(parent, self.schemas[parent]) if parent else []
        own = self.fields(name, schema)
        free = schema.get("additionalProperties") if schema.get("properties") else None
        extends = f" extends {parent}" if parent else " extends HashMap<String, String>" if free else ""
        enums = [
            _enum(f"{_capital(json)}Enum", value["enum"])
            for part in (schema, *schema.get("allOf", ()))
            for json, value in part.get("properties", {}).items()
            if "enum" in value
        ]
        body = [
            *enums,
            *(f"{field.rules}private final {field.declaration};" for field in own),
            *_constructors(name, own, inherited, bool(parent)),
            *(field.getter for field in own),
            *(() if "discriminator" in schema else _builder(name, [*own, *inherited], bool(free))),
            *(_as_map(own) if free else ()),
        ]
        return f"{self._subtypes(schema)}public class {name}{extends} {{\n  " + "\n  ".join(body) + "\n}"

    def _subtypes(self, schema: Schema) -> str:
        told = schema.get("discriminator")
        if not told:
            return ""
        types = ", ".join(
            f'@JsonSubTypes.Type(value = {ref.rpartition("/")[2]}.class, name = "{value}")'
            for value, ref in told["mapping"].items()
        )
        info = "use = JsonTypeInfo.Id.NAME, include = JsonTypeInfo.As.EXISTING_PROPERTY, visible = true"
        return f'@JsonTypeInfo({info}, property = "{told["propertyName"]}")\n@JsonSubTypes({{{types}}})\n'


def rules(schema: Schema) -> str:
    """Return the annotations for the texts that a schema accepts."""
    found = ""
    if "pattern" in schema:
        pattern = schema["pattern"].replace("\\", "\\\\")
        found += f'@Pattern(regexp = "{pattern}") '
    if "minLength" in schema or "maxLength" in schema:
        found += f"@Size(min = {schema.get('minLength', 0)}, max = {schema.get('maxLength', 2**31 - 1)}) "
    return found


def _constructors(name: str, own: list[JavaField], inherited: list[JavaField], child: bool) -> Iterator[str]:
    every = [*own, *inherited]
    required = [field for field in every if field.required]
    parents = [field for field in inherited if field.required]
    yield _constructor(
        "@JsonCreator ", name, [field.parameter for field in every], inherited if child else None, own, every
    )
    if required and len(required) < len(every):
        yield _constructor(
            "", name, [field.declaration for field in required], parents if child else None, own, required
        )


def _constructor(
    annotation: str,
    name: str,
    parameters: list[str],
    above: list[JavaField] | None,
    own: list[JavaField],
    given: list[JavaField],
) -> str:
    called = f"super({', '.join(field.name for field in above)}); " if above is not None else ""
    sets = " ".join(
        field.assigned(field.name) if field in given else f"this.{field.name} = {field.default or 'null'};"
        for field in own
    )
    return f"{annotation}public {name}({', '.join(parameters)}) {{ {called}{sets} }}"


def _builder(name: str, fields: list[JavaField], free: bool) -> Iterator[str]:
    required = [field for field in fields if field.required]
    yield "public static Builder builder() { return new Builder(); }"
    if required:
        sets = "".join(f".set{_capital(field.name)}({field.name})" for field in required)
        taken = ", ".join(field.declaration for field in required)
        yield f"public static Builder builder({taken}) {{ return new Builder(){sets}; }}"
    yield "public static final class Builder {"
    if free:
        yield "  private final Map<String, String> rest = new HashMap<>();"
        yield "  public Builder addProperty(String key, String value) { rest.put(key, value); return this; }"
        yield "  public Builder putAll(Map<String, String> values) { rest.putAll(values); return this; }"
    for field in fields:
        yield f"  private {field.declaration};"
        yield f"  public Builder set{_capital(field.name)}({field.type} value) {{ {field.name} = value; return this; }}"
    made = f"{name} made = new {name}({', '.join(field.name for field in fields)});"
    yield f"  public {name} build() {{ {made} {'made.putAll(rest); ' if free else ''}return made; }}"
    yield "}"


def _as_map(own: list[JavaField]) -> Iterator[str]:
    puts = " ".join(f'map.put("{field.json}", {field.name});' for field in own)
    yield "@JsonValue public Map<String, String> toMap() {"
    yield f"  Map<String, String> map = new HashMap<>(this); {puts} return map; }}"


def _enum(name: str, values: list[str]) -> str:
    constants = ", ".join(f'{re.sub("[^A-Z0-9]", "_", value.upper())}("{value}")' for value in values)
    return (
        f"public enum {name} {{ {constants}; private final String value; {name}(String value) {{ this.value = value; }}"
        " @Override @JsonValue public String toString() { return value; } }"
    )


def _ref(schema: Schema) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]


def _camel(name: str) -> str:
    first, *others = re.split(r"[^A-Za-z0-9]+", name)
    return first[:1].lower() + first[1:] + "".join(map(_capital, others))


def _capital(name: str) -> str:
    name = _camel(name) if not name.isidentifier() else name
    return name[:1].upper() + name[1:]

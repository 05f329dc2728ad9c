"""Java classes for the operations of Polaris, in the form that its jars implement and call."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from peers.polaris.java_models import Models, rules

IMPORTS = """
import jakarta.annotation.security.RolesAllowed;
import jakarta.inject.Inject;
import jakarta.validation.Valid;
import jakarta.validation.constraints.*;
import jakarta.ws.rs.*;
import jakarta.ws.rs.core.*;
import java.util.*;
import org.apache.iceberg.rest.requests.*;
import org.apache.polaris.core.admin.model.*;
import org.apache.polaris.core.context.RealmContext;
import org.apache.polaris.service.types.*;
"""
ANNOTATIONS = {"path": "PathParam", "query": "QueryParam", "header": "HeaderParam"}
FORM = "application/x-www-form-urlencoded"
CALLER = "RealmContext realm, SecurityContext caller"


@dataclass(frozen=True, slots=True)
class JavaParameter:
    """Parameter of a method: its annotations for the router, its type and name."""

    annotations: str
    type: str
    name: str
    required: bool


@dataclass(frozen=True, slots=True)
class Method:
    """Method of an operation: its path and its parameters."""

    name: str
    path: str
    verb: str
    consumes: str
    public: bool
    parameters: tuple[JavaParameter, ...]

    @property
    def declaration(self) -> str:
        """Method of the service, which returns 501 by default."""
        taken = ", ".join([*(f"{given.type} {given.name}" for given in self.parameters), CALLER])
        return f"default Response {self.name}({taken}) {{ return Response.status(501).build(); }}"

    @property
    def resource(self) -> str:
        """Method that the router calls."""
        taken = [f"{given.annotations} {given.type} {given.name}" for given in self.parameters]
        context = CALLER.replace("Realm", "@Context Realm", 1).replace("Security", "@Context Security", 1)
        passed = ", ".join([*(given.name for given in self.parameters), "realm", "caller"])
        head = [f"@{self.verb}", f'@Path("{self.path}")', '@Produces("application/json")']
        head += [f'@Consumes("{self.consumes}")'] if self.consumes else []
        head += [] if self.public else ['@RolesAllowed("**")']
        declared = f"{' '.join(head)} public Response {self.name}({', '.join([*taken, context])})"
        return f"{declared} {{ return service.{self.name}({passed}); }}"


def sources(package: str, name: str, methods: list[Method]) -> Iterator[tuple[str, str]]:
    """Yield name and source of the interface of a service, and of the class for the router."""
    head = f"package {package};\n{IMPORTS}\n"
    declared = "\n  ".join(method.declaration for method in methods)
    yield f"{name}Service", f"{head}public interface {name}Service {{\n  {declared}\n}}\n"
    resources = "\n  ".join(method.resource for method in methods)
    yield (
        name,
        f'{head}@Path("/")\npublic class {name} {{\n  private final {name}Service service;\n'
        f"  @Inject public {name}({name}Service service) {{ this.service = service; }}\n  {resources}\n}}\n",
    )


def method(
    models: Models, document: Mapping[str, Any], path: str, verb: str, without: Collection[str], *, validates: bool
) -> Method:
    """Return an operation of a document as a method; required parameters come first."""
    item = document["paths"][path]
    operation = item[verb]
    given = [_resolved(document, told) for told in (*item.get("parameters", ()), *operation.get("parameters", ()))]
    parameters = [_parameter(models, told, validates=validates) for told in given if told["name"] not in without]
    body = operation.get("requestBody")
    consumes = ""
    if body:
        consumes, media = next(iter(body["content"].items()))
        parameters += _form(document, media["schema"]) if consumes == FORM else [_body(body, media, validates)]
    parameters.sort(key=lambda parameter: not parameter.required)
    public = operation.get("security") == [] or consumes == FORM
    return Method(operation["operationId"], path, verb.upper(), consumes, public, tuple(parameters))


def _parameter(models: Models, told: Mapping[str, Any], *, validates: bool) -> JavaParameter:
    schema = told["schema"]
    default = f'@DefaultValue("{str(schema["default"]).lower()}") ' if "default" in schema else ""
    required = bool(told.get("required"))
    checks = f"{'@NotNull ' if required else ''}{rules(schema)}" if validates else ""
    type = "String" if "enum" in schema else models.type_of(schema)
    return JavaParameter(
        f'{checks}{default}@{ANNOTATIONS[told["in"]]}("{told["name"]}")', type, camel(told["name"]), required
    )


def _body(body: Mapping[str, Any], media: Mapping[str, Any], validates: bool) -> JavaParameter:
    required = bool(body.get("required"))
    checks = f"{'@NotNull ' if required else ''}@Valid" if validates else ""
    return JavaParameter(checks, str(media["schema"]["$ref"]).rpartition("/")[2], "body", required)


def _form(document: Mapping[str, Any], schema: Mapping[str, Any]) -> list[JavaParameter]:
    """Return the fields of all forms of a request; none is required, and the caller is in a header."""
    fields: dict[str, str] = {}
    schema = _resolved(document, schema)
    for part in schema.get("oneOf") or schema.get("anyOf") or [schema]:
        for name in _resolved(document, part)["properties"]:
            fields[name] = "TokenType" if name.endswith("token_type") else "String"
    return [JavaParameter(f'@FormParam("{name}")', type, camel(name), False) for name, type in fields.items()]


def _resolved(document: Mapping[str, Any], told: Mapping[str, Any]) -> Mapping[str, Any]:
    value: Any = document
    if "$ref" not in told:
        return told
    for key in told["$ref"].removeprefix("#/").split("/"):
        value = value[key]
    return _resolved(document, value)


def camel(name: str) -> str:
    """Return a name in Java's camel case."""
    first, *others = re.split(r"[^A-Za-z0-9]+", name)
    return first[:1].lower() + first[1:] + "".join(other.capitalize() for other in others)

"""Error bodies that clients cannot read."""

from __future__ import annotations

from reference_server.faults import body_becomes, each_of, fault
from reference_server.iceberg.faults.blocks import TRACE, error_field_becomes

fault("errors-unwrapped", "Error bodies have message, type and code at their top instead of under error.")(
    body_becomes(lambda body: body.get("error", body) if isinstance(body, dict) else body)
)
fault("errors-of-the-framework", "Errors are those of the web framework: its types, a stack trace and no code.")(
    each_of(
        error_field_becomes("type", lambda _: "Internal"),
        error_field_becomes("code", lambda _: 0),
        error_field_becomes("message", lambda text: f"{text}{TRACE}"),
    )
)

"""Wrong credentials and locations."""

from __future__ import annotations

from reference_server.faults import body_becomes, fault
from reference_server.polaris.faults.blocks import LOAD, settings_become

fault("credentials-renamed", "Credentials have names among the settings that no client knows.", on=LOAD)(
    settings_become(lambda config: {f"lakeproof.{name}": value for name, value in config.items()})
)
fault("credentials-unplaced", "Credentials are for a location in which the table does not lie.", on=LOAD)(
    body_becomes(
        lambda body: {
            **body,
            "storage-credentials": [
                {**credential, "prefix": f"{credential['prefix']}-elsewhere"}
                for credential in body.get("storage-credentials") or []
            ],
        },
        200,
    )
)
fault("new-tables-elsewhere", "A new table is said to lie outside of its catalog.", on=["createTable"])(
    body_becomes(lambda body: {**body, "metadata": {**body["metadata"], "location": "file:///elsewhere"}}, 200)
)

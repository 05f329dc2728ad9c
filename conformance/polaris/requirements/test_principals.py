"""Principals: issued credentials, rotation, reset and deletion."""

from __future__ import annotations

from conformance.author.checks import equal, holds, unequal
from conformance.author.requirement import must, should
from conformance.polaris.callers import Credentials
from conformance.polaris.catalog import PolarisCatalog, credentials
from conformance.polaris.entities import PRINCIPAL, Names
from conformance.polaris.support.principals import opens, refuses, rotated
from conformance.values.outcomes import Skipped, Unoffered

NOT_ALLOWED = 403
CHOSEN_SECRET = "lakeproof-chosen-secret-0123456789"  # noqa: S105 - of a principal of the run


@must("polaris.principal.create.credentials", operations=["createPrincipal"], clause="credentials-issued")
def test_credentials_of_a_new_principal(catalog: PolarisCatalog) -> None:
    """createPrincipal returns credentials that obtain a token which the server accepts."""
    id = catalog.id(PRINCIPAL)
    answer = catalog.create(PRINCIPAL, id)
    equal(answer["principal"]["name"], id[-1], "the name of the principal")
    opens(catalog, credentials(answer))


@should("polaris.principal.create.client_id", operations=["createPrincipal", "getPrincipal"], clause="client-id-shown")
def test_client_id_of_a_new_principal(catalog: PolarisCatalog) -> None:
    """getPrincipal returns the clientId that createPrincipal issued, and no other principal has it."""
    id, known = catalog.new_principal()
    _, other = catalog.new_principal()
    equal(catalog.get(PRINCIPAL, id)["clientId"], known.id, "the clientId")
    unequal(other.id, known.id, "the clientId of another principal")
    unequal(other.secret, known.secret, "the secret of another principal")


@must("polaris.principal.create.own_client_id", operations=["createPrincipal"], clause="client-id-output")
def test_client_id_in_the_request(catalog: PolarisCatalog) -> None:
    """createPrincipal ignores a clientId in the request and issues its own."""
    _, other = catalog.new_principal()
    id = catalog.id(PRINCIPAL)
    answer = catalog.create(PRINCIPAL, id, {"name": id[-1], "clientId": other.id})
    unequal(credentials(answer).id, other.id, "the clientId")
    unequal(catalog.get(PRINCIPAL, id).get("clientId"), other.id, "the clientId of the principal")


@must(
    "polaris.principal.secret_hidden",
    operations=["getPrincipal", "listPrincipals", "updatePrincipal"],
    clause="secret-once",
)
def test_secret_is_not_shown_again(catalog: PolarisCatalog) -> None:
    """getPrincipal, listPrincipals and updatePrincipal do not return the secret of a principal."""
    id, known = catalog.new_principal()
    loaded = catalog.get(PRINCIPAL, id)
    listed = catalog.send("listPrincipals")
    changed = catalog.update(PRINCIPAL, id, currentEntityVersion=loaded["entityVersion"], properties={"a": "1"})
    for answer in (loaded, listed, changed):
        holds(known.secret.encode() not in answer.body, "the answer does not show the secret")


# Rotation


def _with_properties(catalog: PolarisCatalog) -> tuple[Names, Credentials]:
    """Create a principal with properties; return its id and its credentials."""
    id = catalog.id(PRINCIPAL)
    with catalog.client.preparing():
        return id, credentials(catalog.create(PRINCIPAL, id, catalog.value(PRINCIPAL, id, properties={"a": "1"})))


@must("polaris.principal.rotate.new_secret", operations=["rotateCredentials"], clause="rotate", twin=True)
def test_rotation(catalog: PolarisCatalog) -> None:
    """Each rotateCredentials returns a new secret that obtains a token."""
    id, known = catalog.new_principal()
    for _ in range(2):
        new = rotated(catalog, id, known)
        unequal(new.secret, known.secret, "the new secret")
        opens(catalog, new)
        known = new


@should("polaris.principal.rotate.client_id", operations=["rotateCredentials"], clause="rotate-keeps-client-id")
def test_rotation_keeps_the_client_id(catalog: PolarisCatalog) -> None:
    """rotateCredentials keeps the clientId of the principal."""
    id, known = catalog.new_principal()
    answer = catalog.called_by(catalog.logged_in(known)).rotate_credentials(id[-1])
    equal(credentials(answer).id, known.id, "the clientId")
    equal(answer["principal"]["name"], id[-1], "the name of the principal")
    equal(catalog.get(PRINCIPAL, id)["clientId"], known.id, "the clientId of the principal")


@must("polaris.principal.rotate.answer", operations=["rotateCredentials"], clause="rotate-answered")
def test_answer_to_a_rotation(catalog: PolarisCatalog) -> None:
    """rotateCredentials returns the principal with the same fields as getPrincipal afterwards."""
    id, known = _with_properties(catalog)
    answer = catalog.called_by(catalog.logged_in(known)).rotate_credentials(id[-1])
    equal(catalog.documented(answer["principal"]), catalog.documented(catalog.get(PRINCIPAL, id).json), "the principal")


@should("polaris.principal.rotate.old_secret", operations=["rotateCredentials"], clause="rotate-old-secret")
def test_old_secret_after_one_rotation(catalog: PolarisCatalog) -> None:
    """After one rotateCredentials the previous secret still obtains a token."""
    id, known = catalog.new_principal()
    rotated(catalog, id, known)
    opens(catalog, known)


@should("polaris.principal.rotate.twice", operations=["rotateCredentials"], clause="rotate-twice", kind="auth")
def test_oldest_secret_after_two_rotations(catalog: PolarisCatalog) -> None:
    """After two rotateCredentials the first secret obtains no token (400 or 401); the second still does."""
    id, known = catalog.new_principal()
    second = rotated(catalog, id, known)
    third = rotated(catalog, id, second)
    refuses(catalog, known)
    opens(catalog, second)
    opens(catalog, third)


@should("polaris.principal.rotate.others", operations=["rotateCredentials"], clause="rotate-self", kind="auth")
def test_rotation_for_another(catalog: PolarisCatalog) -> None:
    """rotateCredentials of another principal returns 403, and that principal's secret stays valid."""
    id, known = catalog.new_principal()
    _, other = catalog.new_principal()
    catalog.called_by(catalog.logged_in(other)).rotate_credentials(id[-1], expect=NOT_ALLOWED)
    opens(catalog, known)


@must("polaris.principal.rotate.missing", operations=["rotateCredentials"], clause="missing-is-refused", kind="error")
def test_rotation_for_nobody(catalog: PolarisCatalog) -> None:
    """rotateCredentials of a principal that does not exist returns 404."""
    catalog.rotate_credentials(catalog.missing(PRINCIPAL)[-1], expect=404)


@should(
    "polaris.principal.rotation_required",
    operations=["createPrincipal", "getPrincipal", "rotateCredentials", "getToken"],
    clause="rotation-required",
    kind="auth",
)
def test_rotation_that_is_required(catalog: PolarisCatalog) -> None:
    """A principal with credentialRotationRequired gets 403 until it rotates, and then uses the new secret only."""
    id, known = catalog.new_principal(credentialRotationRequired=True)
    client = catalog.logged_in(known)
    before = catalog.called_by(client).get_principal(id[-1], expect=NOT_ALLOWED)
    if b"rotat" not in before.body.lower():
        raise Unoffered("the server does not insist on the rotation of first credentials")
    new = rotated(catalog, id, known)
    unequal(new.secret, known.secret, "the new secret")
    refuses(catalog, known)
    opens(catalog, new)


# Reset


def _reset(catalog: PolarisCatalog, id: Names, **body: str) -> None:
    """Reset credentials as preparation. Raises Skipped when the caller of the run may not (403)."""
    with catalog.client.preparing():
        answer = catalog.send("resetCredentials", PRINCIPAL.place(id), body, expect=(200, NOT_ALLOWED))
        if answer.status == NOT_ALLOWED:
            raise Skipped("the caller of the run may not reset credentials", "--credential of another caller")


@should("polaris.principal.reset", operations=["resetCredentials"], clause="reset", since="1.7")
def test_reset(catalog: PolarisCatalog) -> None:
    """resetCredentials issues a new secret and invalidates all earlier ones."""
    id, known = catalog.new_principal()
    second = rotated(catalog, id, known)
    _reset(catalog, catalog.new_principal()[0])
    new = credentials(catalog.send("resetCredentials", PRINCIPAL.place(id), {}))
    unequal(new.secret, second.secret, "the new secret")
    refuses(catalog, known)
    refuses(catalog, second)
    opens(catalog, new)


@must("polaris.principal.reset.answer", operations=["resetCredentials"], clause="reset-answered", since="1.7")
def test_answer_to_a_reset(catalog: PolarisCatalog) -> None:
    """resetCredentials returns the principal with the same fields as getPrincipal afterwards."""
    id, _ = _with_properties(catalog)
    _reset(catalog, catalog.new_principal()[0])
    answer = catalog.send("resetCredentials", PRINCIPAL.place(id), {})
    equal(catalog.documented(answer["principal"]), catalog.documented(catalog.get(PRINCIPAL, id).json), "the principal")


@should("polaris.principal.reset.chosen", operations=["resetCredentials"], clause="reset-chosen", since="1.7")
def test_reset_to_chosen_credentials(catalog: PolarisCatalog) -> None:
    """resetCredentials with a clientId and a clientSecret sets exactly these, and they obtain a token."""
    id, known = catalog.new_principal()
    _reset(catalog, catalog.new_principal()[0])
    chosen = {"clientId": catalog.target.new_name(), "clientSecret": f"{CHOSEN_SECRET}{id[-1]}"}
    new = credentials(catalog.send("resetCredentials", PRINCIPAL.place(id), chosen))
    equal(
        [new.id, new.secret == chosen["clientSecret"]], [chosen["clientId"], True], "the credentials that were chosen"
    )
    equal(catalog.get(PRINCIPAL, id)["clientId"], chosen["clientId"], "the clientId of the principal")
    opens(catalog, new)
    refuses(catalog, known)


@should(
    "polaris.principal.reset.taken", operations=["resetCredentials"], clause="reset-taken", kind="error", since="1.7"
)
def test_reset_to_an_id_that_is_taken(catalog: PolarisCatalog) -> None:
    """resetCredentials with the clientId of another principal returns 409, and both keep their credentials."""
    (id, known), (_, other) = catalog.new_principal(), catalog.new_principal()
    _reset(catalog, catalog.new_principal()[0])
    taken = {"clientId": other.id, "clientSecret": f"{CHOSEN_SECRET}{id[-1]}"}
    catalog.send("resetCredentials", PRINCIPAL.place(id), taken, expect=409)
    opens(catalog, known)
    opens(catalog, other)


@must(
    "polaris.principal.reset.missing",
    operations=["resetCredentials"],
    clause="missing-is-refused",
    kind="error",
    since="1.7",
)
def test_reset_for_nobody(catalog: PolarisCatalog) -> None:
    """resetCredentials of a principal that does not exist returns 404."""
    catalog.send("resetCredentials", PRINCIPAL.place(catalog.missing(PRINCIPAL)), {}, expect=404)


@should("polaris.principal.delete.token", operations=["deletePrincipal"], clause="deleted-caller", kind="auth")
def test_token_of_a_deleted_principal(catalog: PolarisCatalog) -> None:
    """After deletePrincipal the token of the principal gets 401, and its credentials obtain no other token."""
    id, known = catalog.new_principal()
    client = catalog.logged_in(known)
    catalog.delete(PRINCIPAL, id)
    catalog.called_by(client).get_principal(id[-1], expect=401)
    refuses(catalog, known)

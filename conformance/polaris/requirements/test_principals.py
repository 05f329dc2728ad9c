"""Principals: credentials that are shown once, rotation, reset."""

from __future__ import annotations

from conformance.author.checks import equal, holds, unequal
from conformance.author.requirement import must, should
from conformance.polaris.catalog import Credentials, PolarisCatalog, credentials
from conformance.polaris.entities import PRINCIPAL, Names
from conformance.polaris.support.tokens import opens, refuses, rotated
from conformance.values.outcomes import Unoffered

NOT_ALLOWED = 403
CHOSEN_SECRET = "lakeproof-chosen-secret-0123456789"  # noqa: S105 - of a principal of the run


@must("polaris.principal.create.credentials", operations=["createPrincipal"], clause="credentials-issued")
def test_credentials_of_a_new_principal(catalog: PolarisCatalog) -> None:
    """The credentials in the answer to the creation of a principal get a token that the server takes."""
    id = catalog.id(PRINCIPAL)
    answer = catalog.create(PRINCIPAL, id)
    equal(answer["principal"]["name"], id[-1], "the name of the principal")
    opens(catalog, credentials(answer))


@should("polaris.principal.create.client_id", operations=["createPrincipal", "getPrincipal"], clause="client-id-shown")
def test_client_id_of_a_new_principal(catalog: PolarisCatalog) -> None:
    """The clientId of a principal is that of its credentials, and no other principal has it."""
    id, known = catalog.new_principal()
    _, other = catalog.new_principal()
    equal(catalog.get(PRINCIPAL, id)["clientId"], known.id, "the clientId")
    unequal(other.id, known.id, "the clientId of another principal")
    unequal(other.secret, known.secret, "the secret of another principal")


@must("polaris.principal.create.own_client_id", operations=["createPrincipal"], clause="client-id-output")
def test_client_id_in_the_request(catalog: PolarisCatalog) -> None:
    """A clientId in the request for a new principal is not taken: the server issues its own."""
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
    """A principal is shown without its secret when it is asked for, listed or changed."""
    id, known = catalog.new_principal()
    loaded = catalog.get(PRINCIPAL, id)
    listed = catalog.send("listPrincipals")
    changed = catalog.update(PRINCIPAL, id, currentEntityVersion=loaded["entityVersion"], properties={"a": "1"})
    for answer in (loaded, listed, changed):
        holds(known.secret.encode() not in answer.body, "the answer does not show the secret")


# Rotation


def _with_properties(catalog: PolarisCatalog) -> tuple[Names, Credentials]:
    """Make a principal that has properties; return its id and its credentials."""
    id = catalog.id(PRINCIPAL)
    with catalog.client.preparing():
        return id, credentials(catalog.create(PRINCIPAL, id, catalog.value(PRINCIPAL, id, properties={"a": "1"})))


@must("polaris.principal.rotate.new_secret", operations=["rotateCredentials"], clause="rotate")
def test_rotation(catalog: PolarisCatalog) -> None:
    """A principal that rotates its credentials gets a new secret, with which it gets tokens."""
    id, known = catalog.new_principal()
    new = rotated(catalog, id, known)
    unequal(new.secret, known.secret, "the new secret")
    opens(catalog, new)


@should("polaris.principal.rotate.client_id", operations=["rotateCredentials"], clause="rotate-keeps-client-id")
def test_rotation_keeps_the_client_id(catalog: PolarisCatalog) -> None:
    """Rotation leaves the clientId as it is."""
    id, known = catalog.new_principal()
    answer = catalog.called_by(catalog.logged_in(known)).rotate_credentials(id[-1])
    equal(credentials(answer).id, known.id, "the clientId")
    equal(answer["principal"]["name"], id[-1], "the name of the principal")
    equal(catalog.get(PRINCIPAL, id)["clientId"], known.id, "the clientId of the principal")


@must("polaris.principal.rotate.answer", operations=["rotateCredentials"], clause="rotate-answered")
def test_answer_to_a_rotation(catalog: PolarisCatalog) -> None:
    """The principal in the answer to a rotation is the principal as it is found afterwards."""
    id, known = _with_properties(catalog)
    answer = catalog.called_by(catalog.logged_in(known)).rotate_credentials(id[-1])
    equal(catalog.stated(answer["principal"]), catalog.stated(catalog.get(PRINCIPAL, id).json), "the principal")


@should("polaris.principal.rotate.old_secret", operations=["rotateCredentials"], clause="rotate-old-secret")
def test_old_secret_after_one_rotation(catalog: PolarisCatalog) -> None:
    """After a rotation the secret before it is still good, so that clients can be changed one by one."""
    id, known = catalog.new_principal()
    rotated(catalog, id, known)
    opens(catalog, known)


@should("polaris.principal.rotate.twice", operations=["rotateCredentials"], clause="rotate-twice", kind="auth")
def test_oldest_secret_after_two_rotations(catalog: PolarisCatalog) -> None:
    """After two rotations the first secret is good no more, and the second still is."""
    id, known = catalog.new_principal()
    second = rotated(catalog, id, known)
    third = rotated(catalog, id, second)
    refuses(catalog, known)
    opens(catalog, second)
    opens(catalog, third)


@should("polaris.principal.rotate.others", operations=["rotateCredentials"], clause="rotate-self", kind="auth")
def test_rotation_for_another(catalog: PolarisCatalog) -> None:
    """A principal does not rotate the credentials of another one: 403, and those stay good."""
    id, known = catalog.new_principal()
    _, other = catalog.new_principal()
    catalog.called_by(catalog.logged_in(other)).rotate_credentials(id[-1], expect=NOT_ALLOWED)
    opens(catalog, known)


@must("polaris.principal.rotate.missing", operations=["rotateCredentials"], clause="missing-is-refused", kind="error")
def test_rotation_for_nobody(catalog: PolarisCatalog) -> None:
    """Rotating the credentials of a principal that does not exist is refused with 404."""
    catalog.rotate_credentials(catalog.missing(PRINCIPAL)[-1], expect=404)


@should(
    "polaris.principal.rotation_required",
    operations=["createPrincipal", "getPrincipal", "rotateCredentials", "getToken"],
    clause="rotation-required",
    kind="auth",
)
def test_rotation_that_is_required(catalog: PolarisCatalog) -> None:
    """A principal that has to rotate first may do nothing else, and everything that is its own afterwards."""
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
    """Raise Unoffered when the credentials of the run may not reset those of others."""
    with catalog.client.preparing():
        answer = catalog.send("resetCredentials", PRINCIPAL.place(id), body, expect=(200, NOT_ALLOWED))
        if answer.status == NOT_ALLOWED:
            raise Unoffered("the caller of the run may not reset credentials")


@should("polaris.principal.reset", operations=["resetCredentials"], clause="reset", since="1.7")
def test_reset(catalog: PolarisCatalog) -> None:
    """A reset issues a new secret, and those before it are good no more."""
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
    """The principal in the answer to a reset is the principal as it is found afterwards."""
    id, _ = _with_properties(catalog)
    _reset(catalog, catalog.new_principal()[0])
    answer = catalog.send("resetCredentials", PRINCIPAL.place(id), {})
    equal(catalog.stated(answer["principal"]), catalog.stated(catalog.get(PRINCIPAL, id).json), "the principal")


@should("polaris.principal.reset.chosen", operations=["resetCredentials"], clause="reset-chosen", since="1.7")
def test_reset_to_chosen_credentials(catalog: PolarisCatalog) -> None:
    """A reset to an id and a secret of one's choice issues these, and they get a token."""
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
    """A reset to the clientId of another principal is refused with 409, and both keep their credentials."""
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
    """Resetting the credentials of a principal that does not exist is refused with 404."""
    catalog.send("resetCredentials", PRINCIPAL.place(catalog.missing(PRINCIPAL)), {}, expect=404)


@should("polaris.principal.delete.token", operations=["deletePrincipal"], clause="deleted-caller", kind="auth")
def test_token_of_a_deleted_principal(catalog: PolarisCatalog) -> None:
    """The token of a principal that was deleted is refused with 401, and its credentials get no other."""
    id, known = catalog.new_principal()
    client = catalog.logged_in(known)
    catalog.delete(PRINCIPAL, id)
    catalog.called_by(client).get_principal(id[-1], expect=401)
    refuses(catalog, known)

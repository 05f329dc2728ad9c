"""Requirements on drawn bodies, for every operation that accepts JSON."""

from __future__ import annotations

from hypothesis import strategies as st

from conformance.author.catalog import Catalog
from conformance.author.requirement import given, should
from conformance.fuzz.bodies import bodies
from conformance.fuzz.fuzzing import FuzzCase, cases_of, fuzzing_of
from conformance.values.kinds import FUZZ
from conformance.values.outcomes import Violation
from specs.apis import apis

DECIDED = (501, 503)  # the operation is not supported, or not available now
CASES = {key: case for api in apis() for key, case in cases_of(api).items()}


@should("fuzz.{}", operations=lambda case: [case.operation.id], clause="any-body", kind=FUZZ, each=CASES)
@given(data=st.data())
def test_any_body(catalog: Catalog, case: FuzzCase, data: st.DataObject) -> None:
    """For any JSON body, {} returns a response that matches the document and no 5xx other than 501 or 503."""
    fuzzing, client = fuzzing_of(case.api), catalog.client
    client.require(case.operation.id)
    with client.preparing():
        subject = fuzzing.prepare(catalog, case.operation)
    drawn = data.draw(bodies(client.document, case.operation.id))
    answer = subject.send(fuzzing.harmless(drawn, subject.own))
    sent = client.steps[-1]
    if answer.status >= 500 and answer.status not in DECIDED:
        raise Violation(f"{case.operation.id} answers this body with {answer.status}")
    if sent.defect:
        _, message = sent.defect
        raise Violation(f"the answer of {case.operation.id} to this body: {message}")

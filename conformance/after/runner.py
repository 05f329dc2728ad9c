"""Execution of the suite from Python: the same run as `pytest --pyargs conformance --lakeproof-server URL`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence

from conformance.after.causes import with_causes
from conformance.after.comparing.reference_answers import Reference, add_reference_answers
from conformance.run.choosing import begin
from conformance.run.collecting import packages_of, places, run_pytest
from conformance.run.plugin import SuitePlugin
from conformance.run.reporting import Listener
from conformance.run.session import Session
from conformance.target.target import Target
from conformance.values.activity import doing
from conformance.values.kinds import FUZZ
from conformance.values.results import Results
from conformance.values.settings import Settings
from specs.extras import require_extra

log = logging.getLogger("lakeproof.suite")


def run(
    settings: Settings,
    listener: Listener | None = None,
    *,
    command: str = "",
    ids: Collection[str] | None = None,
    package: str = "",
    plugins: Sequence[object] = (),
    known: Target | None = None,
    reference: Reference | None = None,
    keep: Callable[[Results], object] | None = None,
) -> tuple[Results, int]:
    """Test a target and return the results and the exit code.

    `ids` limits the run to these requirements, `package` names another suite's requirements, `plugins` are passed to
    pytest with the suite's own, `known` is the target if the caller has probed it already, `reference` starts the
    reference server whose answers are added to the findings. `keep` receives the results when the last requirement has
    its verdict, or the run is interrupted: a process that is killed during the clean-up has written them then. Nothing
    is printed; `listener` receives the progress.

    Raises Problem when the target cannot be tested.
    """
    if FUZZ in settings.kinds:
        require_extra(FUZZ)
    own = not package and FUZZ not in settings.kinds
    session = Session(settings, command, ids, known, own=own) if known else begin(settings, command, ids, own=own)
    if keep:
        session.keep = lambda results: keep(with_causes(results))
    plugin = SuitePlugin(session, listener)
    suites = [package] if package else packages_of(session.settings, session.target.profile)
    with doing("collecting requirements"):
        code = run_pytest(places(suites, session.wanted if own else ids), [plugin, *plugins])
    for error in session.kit_errors:
        log.error("the kit failed outside of a requirement:\n%s", error)
    results = with_causes(session.results())
    if reference:
        add_reference_answers(results, session.target, reference)
    return results, code

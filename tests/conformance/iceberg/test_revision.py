"""Servers that are judged against an older document are not asked for later additions."""

from __future__ import annotations

import pytest

from conformance.iceberg.support.revision import Revision
from conformance.iceberg.support.update_actions import ACTIONS
from conformance.values.outcomes import Unoffered
from specs.iceberg.commits import actions
from specs.profiles import find_profile

OLD = Revision(find_profile("iceberg/1.6").document())
NEW = Revision(find_profile("iceberg").document())


def test_every_action_of_tables_is_tried():
    only_views = {"add-view-version", "set-current-view-version"}
    assert set(ACTIONS) == set(actions(NEW.document).values()) - only_views


def test_later_updates_are_not_sent():
    later = [{"action": "remove-schemas", "schema-ids": [1]}]
    NEW.require_updates(later)
    with pytest.raises(Unoffered, match="remove-schemas"):
        OLD.require_updates(later)


@pytest.mark.parametrize("updates", [[], [{"action": "paint-it-black"}], ["text"], [{}], [{"action": "add-schema"}]])
def test_what_no_document_has_is_sent(updates):
    OLD.require_updates(updates)


def test_later_format_versions_are_not_sent():
    with pytest.raises(Unoffered, match="2"):
        OLD.require_format_version("3")
    for version in (None, "1", "2", "99", "two", ""):
        OLD.require_format_version(version)
    NEW.require_format_version(3)


def test_statuses_and_fields():
    with pytest.raises(Unoffered):
        OLD.require_status("loadTable", 304)
    with pytest.raises(Unoffered):
        OLD.require_field("RegisterTableRequest", "overwrite")
    with pytest.raises(Unoffered):
        OLD.require_optional("SetStatisticsUpdate", "snapshot-id")
    NEW.require_status("loadTable", 304)
    NEW.require_field("RegisterTableRequest", "overwrite")
    NEW.require_optional("SetStatisticsUpdate", "snapshot-id")

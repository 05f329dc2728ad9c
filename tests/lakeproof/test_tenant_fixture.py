"""Fixture of the pytest plugin: one server for a session, catalogs of its own for each test."""

from __future__ import annotations

pytest_plugins = ["pytester"]


def test_the_fixture_gives_each_test_its_own_catalogs(pytester):
    pytester.makepyfile(
        """
        import urllib.request, pytest
        seen = []

        @pytest.mark.parametrize("lakeproof_server", ["iceberg", "iceberg", "lance"], indirect=True)
        def test_mine(lakeproof_server, lakeproof_session):
            seen.append((lakeproof_server.url, lakeproof_server.control_token))
            assert urllib.request.urlopen(lakeproof_server.control_address + "/_lakeproof").status == 200
            assert lakeproof_server.requests() == []

        def test_servers():
            assert len(set(seen)) == 3 and len({url.split("/_t/")[0] for url, _ in seen}) == 2
        """
    )
    result = pytester.runpytest_subprocess("-p", "no:randomly")
    result.assert_outcomes(passed=4)


def test_the_fixture_works_under_xdist(pytester):
    pytester.makepyfile(
        """
        import json, urllib.request, pytest

        @pytest.mark.parametrize("lakeproof_server", ["iceberg"], indirect=True)
        @pytest.mark.parametrize("number", range(6))
        def test_mine(lakeproof_server, number):
            body, kind = json.dumps({"namespace": ["same"]}).encode(), {"Content-Type": "application/json"}
            url = lakeproof_server.url + "/v1/namespaces"
            assert urllib.request.urlopen(urllib.request.Request(url, body, kind)).status == 200
            lakeproof_server.assert_requested("createNamespace", times=1)
        """
    )
    pytester.runpytest_subprocess("-n", "2").assert_outcomes(passed=6)


def test_a_failed_assertion_shows_the_line_of_the_test_alone(pytester):
    pytester.makepyfile(
        """
        def test_it(lakeproof_server):
            lakeproof_server.assert_requested("ListTables")
        """
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.stdout.fnmatch_lines(["*lakeproof_server.assert_requested*", "E * ListTables was never requested*"])
    result.stdout.no_fnmatch_line("*client.py*")

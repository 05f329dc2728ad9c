"""One name for a setting, wherever it stands."""

from __future__ import annotations

import pytest

from conformance.values.settings import NEEDS, Settings, load_settings
from specs.problems import Problem


def load(folder, given=None, environ=None):
    return load_settings(given or {}, environ or {}, folder)


def test_the_nearest_source_wins(tmp_path):
    (tmp_path / "lakeproof.toml").write_text('depth = "deep"\ntimeout = 1\nstrict = true\nkinds = ["wire"]\n')
    settings = load(tmp_path, {"timeout": 3.0, "token": None}, {"LAKEPROOF_TIMEOUT": "2", "LAKEPROOF_SEED": "7"})
    assert (settings.depth, settings.timeout, settings.seed) == ("deep", 3.0, 7)
    assert settings.strict is True
    assert settings.kinds == ("wire",)


def test_without_anything_the_defaults_hold(tmp_path):
    assert load(tmp_path) == Settings()


def test_lists_and_switches_in_the_environment(tmp_path):
    settings = load(tmp_path, environ={"LAKEPROOF_KINDS": "wire,error", "LAKEPROOF_STRICT": "1"})
    assert settings.kinds == ("wire", "error")
    assert settings.strict is True


def test_several_values_in_one_text(tmp_path):
    environ = {"LAKEPROOF_HEADER": "Accept: a, b\nx-tenant: t\n", "LAKEPROOF_OPERATION": "A, B"}
    settings = load(tmp_path, {"clause": ("a,b", "c")}, environ)
    assert settings.pairs("header") == [("Accept", "a, b"), ("x-tenant", "t")]
    assert (settings.operation, settings.clause) == (("A", "B"), ("a", "b", "c"))


@pytest.mark.parametrize("plural", ["headers", "operations", "clauses", "storage_options"])
def test_unknown_names_are_refused_with_the_nearest(tmp_path, plural):
    hint = f"Did you mean {plural[:-1]}?"
    with pytest.raises(Problem, match="environment has an unknown setting") as caught:
        load(tmp_path, environ={f"LAKEPROOF_{plural.upper()}": "a"})
    assert caught.value.hint == hint
    with pytest.raises(Problem, match=f"unknown setting: {plural}") as caught:
        load(tmp_path, {plural: ["a"]})
    assert caught.value.hint == hint
    (tmp_path / "lakeproof.toml").write_text(f'{plural} = ["a"]\n[serve]\nport = 1\n')
    with pytest.raises(Problem, match=f"lakeproof.toml has an unknown setting: {plural}") as caught:
        load(tmp_path)
    assert caught.value.hint == hint


@pytest.mark.parametrize(("name", "nearest"), [("DEPHT", "depth"), ("JBOS", "jobs"), ("TOKENS", "token")])
def test_variables_that_nobody_knows_are_refused(tmp_path, name, nearest):
    with pytest.raises(Problem, match=f"unknown setting: LAKEPROOF_{name}") as caught:
        load(tmp_path, environ={f"LAKEPROOF_{name}": "1"})
    assert caught.value.hint == f"Did you mean {nearest}?"


HTTPS, HTTP = {"server": "https://127.0.0.1:9"}, {"server": "http://127.0.0.1:9"}


@pytest.mark.parametrize(
    ("useless", "useful"),
    [
        ({**HTTP, "storage": "memory"}, {"storage": "memory"}),
        ({"wait": 3.0}, {**HTTP, "wait": 3.0}),
        ({**HTTP, "ca": "nosuch.pem"}, {**HTTPS, "ca": "nosuch.pem"}),
        ({**HTTP, "insecure": True}, {**HTTPS, "insecure": True}),
        ({**HTTP, "cert": "c.pem"}, {**HTTPS, "cert": "c.pem"}),
        ({**HTTP, "cert": "c.pem", "key": "k.pem"}, {**HTTPS, "cert": "c.pem", "key": "k.pem"}),
        ({"table": "a.b"}, {"table": "a.b", "read_only": True}),
        ({"view": "a.b"}, {"view": "a.b", "read_only": True}),
        ({"path_prefix": "dev"}, {"path_prefix": "dev", "api": "iceberg"}),
        ({"scope": "s"}, {"scope": "s", "credential": "a:b"}),
        ({"seed": 7, "depth": None}, {"seed": 7, "depth": "deep"}),
    ],
)
def test_what_nothing_would_use_is_refused(tmp_path, useless, useful):
    """Only settings given to this run are refused; the environment and the file are for many runs."""
    with pytest.raises(Problem) as caught:
        load(tmp_path, useless)
    assert caught.value.hint
    load(tmp_path, useful)
    given = {name: value for name, value in useless.items() if name in ("server", "depth")}
    elsewhere = {f"LAKEPROOF_{name.upper()}": str(useless[name]) for name in useless.keys() - given.keys()}
    load(tmp_path, given, elsewhere)


def test_every_need_is_tested():
    (mark,) = test_what_nothing_would_use_is_refused.pytestmark
    assert {name for useless, _ in mark.args[1] for name in useless} >= NEEDS.keys()


@pytest.mark.parametrize("given", [{"report": "r\udcff"}, {"operation": ("A", "\udcff")}])
def test_bytes_that_are_no_text_are_refused(tmp_path, given):
    with pytest.raises(Problem, match="is not UTF-8 text"):
        load(tmp_path, given)


def test_a_seed_may_mean_something_else_to_a_command_without_depths(tmp_path):
    assert load(tmp_path, {"seed": 7}).seed == 7


def test_variables_of_others_are_left_alone(tmp_path):
    others = ("LAKEPROOF_SERVE_PORT", "LAKEPROOF_PACKAGE", "LAKEPROOF_AUTHORIZATION", "LAKEPROOF_X_API_KEY", "HEADERS")
    assert load(tmp_path, environ=dict.fromkeys(others, "1")) == Settings()


def test_a_given_server_has_a_storage_of_its_own(tmp_path):
    (tmp_path / "lakeproof.toml").write_text('storage = "memory:pure"\n')
    assert load(tmp_path).storage == "memory:pure"
    assert load(tmp_path, {"server": "http://127.0.0.1:9"}).storage == ""


def test_an_empty_variable_is_as_none(tmp_path):
    (tmp_path / "lakeproof.toml").write_text('api = "iceberg"\n')
    settings = load(tmp_path, environ={"LAKEPROOF_API": "", "LAKEPROOF_WAIT": "", "LAKEPROOF_EXPECT": ""})
    assert (settings.api, settings.wait, settings.expect) == ("iceberg", 0.0, "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("colour = 1", "unknown setting: colour"),
        ("depth = [", "not valid TOML"),
        ('depth = "bottomless"', "--depth: unknown depth 'bottomless'.\\nChoose smoke"),
        ('kinds = ["guess"]', "--kinds: unknown kind 'guess'"),
        ('timeout = "long"', "timeout"),
        ("timeout = 0", "more than 0"),
        ('strict = "maybe"', "strict"),
        ('header = ["novalue"]', "has no value"),
        ('storage_option = ["s3.endpoint"]', "'s3.endpoint' has no value"),
        ('prefix = "two words"', "prefix 'two words' is invalid"),
        ('location = "some/where"', "neither an absolute path nor a URI"),
    ],
)
def test_wrong_settings_are_problems(tmp_path, text, words):
    (tmp_path / "lakeproof.toml").write_text(text)
    with pytest.raises(Problem, match=words) as caught:
        load(tmp_path)
    assert caught.value.hint


def test_keys_of_a_storage_are_not_shown():
    options = ("s3.access-key-id=AKIA", "s3.secret-access-key=hush", "s3.endpoint=http://127.0.0.1:9000")
    shown = Settings(storage_option=options).shown()["storage_option"]
    assert shown == [
        "s3.access-key-id=<redacted>",
        "s3.secret-access-key=<redacted>",
        "s3.endpoint=http://127.0.0.1:9000",
    ]

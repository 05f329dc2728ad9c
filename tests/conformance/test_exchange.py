"""Exchanges as people see them: curl, and nothing secret."""

from __future__ import annotations

import json
import subprocess

import msgspec
import pyarrow as pa

from conformance.lance.support.arrow import stream
from conformance.values.exchange import MAX_BODY, Exchange, as_text, body_to_json
from conformance.values.settings import Settings

SECRET = "s3cret-value"


def exchange(**changes):
    return Exchange(
        **{
            "operation": "CreateTable",
            "method": "POST",
            "url": "http://h/v1/table/a%24b/create",
            "request_headers": {},
            **changes,
        }
    )


def test_secrets_are_shown_nowhere():
    headers = {
        "Authorization": f"Bearer {SECRET}",
        "x-api-key": SECRET,
        "X-My-Token": SECRET,
        "Cookie": SECRET,
        "X-Plain": "p",
    }
    seen = exchange(request_headers=headers, response_headers={"Set-Cookie": SECRET})
    text = msgspec.json.encode(seen.to_step()).decode()
    assert SECRET not in text
    assert "$LAKEPROOF_AUTHORIZATION" in seen.curl()
    assert "X-Plain: p" in seen.curl()


def test_secrets_in_bodies_are_shown_nowhere():
    form = f"grant_type=client_credentials&client_id=me&client_secret={SECRET}&subject_token={SECRET}&scope=s"
    answer = {
        "access_token": SECRET,
        "next-page-token": "kept",
        "config": {"token": SECRET, "s3.secret-access-key": f'{SECRET}"\\', "s3.session-token": SECRET, "a": "b"},
        "headers": {"Authorization": [SECRET], "X-Amz-Security-Token": [SECRET], "X-Amz-Date": ["now"]},
    }
    seen = exchange(request_body=form.encode(), response_body=json.dumps(answer).encode())
    shown = msgspec.to_builtins(seen.to_step())
    assert SECRET not in json.dumps(shown) + seen.curl()
    assert "client_id=me" in seen.curl()
    assert shown["response"]["body"]["json"]["next-page-token"] == "kept"
    assert shown["response"]["body"]["json"]["headers"]["X-Amz-Date"] == ["now"]


def test_settings_hide_their_secrets():
    settings = Settings(
        server="http://h", token=SECRET, credential=f"me:{SECRET}", header=(f"x-api-key: {SECRET}", "X-Plain: p")
    )
    shown = settings.shown()
    assert SECRET not in json.dumps(shown)
    assert shown["header"][1] == "X-Plain: p"


def test_curl_sends_the_same_bytes(tmp_path):
    body = stream(pa.table({"a": [1, 2]}))
    for sent in (body, b'{"it\'s": "$HOME `x`"}', "ü\n".encode()):
        command = exchange(request_body=sent).curl().replace("curl ", "printf-args ", 1)
        script = f"""printf-args() {{ while [ "$1" != --data-binary ]; do shift; done
            if [ "$2" = @- ]; then cat; else printf %s "$2"; fi; }}
            {command}"""
        received = subprocess.run(["bash", "-c", script], capture_output=True, check=True).stdout
        assert received == sent


def test_bodies_are_shown_as_what_they_are():
    assert body_to_json(b"") is None
    assert body_to_json(b'{"a": 1}') == {"json": {"a": 1}}
    assert body_to_json(b"plain") == {"text": "plain", "size": 5}
    assert body_to_json(b"\xff\x00") == {"base64": "/wA=", "size": 2}
    large = body_to_json(b"x" * (MAX_BODY + 1))
    assert (len(large["text"]), large["size"]) == (MAX_BODY, MAX_BODY + 1)


def test_control_characters_are_no_text():
    assert as_text(b"a\x1b[31m") is None
    assert as_text(b"a\tb\n") == "a\tb\n"

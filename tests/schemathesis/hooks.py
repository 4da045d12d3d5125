"""What schemathesis cannot know: the envelope of the contract. And a count of what came back, so that the run can tell
whether it tested anything at all."""

import atexit
import json
import os
from collections import Counter

import schemathesis

# Which body status may come with which HTTP status. 1 is the export of nothing, 4001 a refused sign-in.
PAIRS = {
    200: {0, 1, 3, 6013, 6014, 4001, 4003, 4007, 4010, 4011},
    400: {4000},
    401: {6014},
    403: {6403},
    404: {4004},
    405: {4004},
    409: {4009},
    413: {4013},
    415: {4015},
    429: {4029},
    503: {5003},
}

_seen: Counter[str] = Counter()

# A piece of a file is bytes.
schemathesis.serializer.alias("application/partial-upload", "application/octet-stream")


def _is_json(response) -> bool:
    return response.headers.get("content-type", [""])[0].startswith("application/json")


@schemathesis.hook
def after_call(context, case, response):
    _seen[f"http {response.status_code}"] += 1
    if _is_json(response):
        _seen[f"status {response.json().get('status')}"] += 1


@schemathesis.check
def keeps_the_envelope(ctx, response, case):
    """Every JSON answer is the envelope, tells people what is wrong, and pairs its two statuses as the contract says."""
    if not _is_json(response):
        assert response.status_code == 200, f"a refusal that is no JSON: {response.status_code}"
        return
    body = response.json()
    status = body["status"]
    assert status in PAIRS.get(response.status_code, ()), f"HTTP {response.status_code} with body status {status}"
    assert body["success"] is (status == 0), "success says otherwise than status"
    if status == 0:
        assert body["msg"] == "", "a success with a message"
        return
    assert body["data"] is None, "a refusal with data"
    assert body["msg"].strip(), "a refusal that does not say why"
    if status == 4000:
        for error in body["errors"]:
            assert error["code"] and error["message"] and "field" in error, error


@schemathesis.check
def keeps_its_schema(ctx, response, case):
    """The data of a success is what the document says. (The built-in check knows no refusals under HTTP 200.)"""
    if _is_json(response) and response.status_code == 200 and response.json()["status"] == 0:
        case.operation.validate_response(response)


@atexit.register
def _save() -> None:
    with open(os.environ["SEEN_FILE"], "w") as file:
        json.dump(_seen, file)

"""How Schemathesis serializes bodies of media types that it does not know, and which statuses fail a check."""

import schemathesis


@schemathesis.serializer(
    "application/x-ndjson", "text/csv", "application/zip", "application/vnd.nervous.columns"
)
def unchanged(context, value):
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


@schemathesis.check
def no_server_error(context, response, case):
    """What may have a status of 5xx: missing hardware, a listener that is off, unknown methods (RFC 9110, 15.6.2)."""
    if response.status_code < 500:
        return
    problem = (response.status_code, response.json()["code"])
    allowed = [(503, "sensor-unavailable"), (503, "not-listening"), (501, "method-unknown")]
    assert problem in allowed, f"{response.status_code} {response.text[:300]}"

"""How bodies are sent of which Schemathesis knows the schema and not the form."""

import schemathesis


@schemathesis.serializer(
    "application/x-ndjson", "text/csv", "application/zip", "application/vnd.nervous.columns"
)
def as_it_is(context, value):
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


@schemathesis.check
def no_fault_of_the_host(context, response, case):
    """Only missing hardware and methods that nobody knows (RFC 9110, 15.6.2) are answered with 5xx."""
    if response.status_code < 500:
        return
    told = (response.status_code, response.json()["code"])
    fine = [(503, "sensor-unavailable"), (501, "method-unknown")]
    assert told in fine, f"{response.status_code} {response.text[:300]}"

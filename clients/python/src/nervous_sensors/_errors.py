"""The exceptions of this package: one class per kind of problem, with the stable code of the host."""

from __future__ import annotations

import json
from typing import Any, Mapping


class NervousError(Exception):
    """The base of all exceptions of this package."""


class ConnectionFailed(NervousError):
    """The host could not be reached, or the connection ended before the answer was complete."""


class InvalidAnswer(NervousError):
    """The answer is not what this package expects: another program listens at the address, or a newer host."""


class Problem(NervousError):
    """An error that the host describes (RFC 9457).

    ``code`` is stable; the texts are for people. Catch a subclass, or compare ``code`` for those without one.
    """

    def __init__(self, members: Mapping[str, Any], retry_after: float | None = None) -> None:
        self.code: str = str(members.get("code", "http-error"))
        self.status: int = int(members.get("status", 0))
        self.title: str = str(members.get("title", ""))
        self.detail: str = str(members.get("detail", ""))
        #: What a person can do, if anything.
        self.fix: str | None = members.get("fix")
        #: The privilege that is missing.
        self.privilege: str | None = members.get("privilege")
        #: All members, also those without an attribute.
        self.members: Mapping[str, Any] = members
        #: After how many seconds another attempt is worthwhile.
        self.retry_after: float | None = retry_after
        super().__init__(f"{self.detail or self.title} ({self.code})")


class InvalidRequest(Problem):
    """400, 413, 415 or 422: the call is not valid."""


class InvalidSample(InvalidRequest):
    """A published sample is not valid; nothing of the batch was stored."""


class KeyReused(InvalidRequest):
    """An idempotency key was used for another batch."""


class TokenRejected(Problem):
    """401: the token is missing, wrong, revoked or expired."""


class PermissionMissing(Problem):
    """403: the owner has not allowed this."""


class Undecided(PermissionMissing):
    """The owner has not decided about the privilege."""


class Denied(PermissionMissing):
    """The owner has denied the privilege."""


class StatisticsOnly(PermissionMissing):
    """Only statistics are granted, and the call needs samples."""


class NotInBackground(PermissionMissing):
    """The permission does not apply in the background."""


class Restricted(PermissionMissing):
    """The policy of the machine blocks the privilege."""


class Undeclared(PermissionMissing):
    """The app has not declared the privilege."""


class OwnerOnly(PermissionMissing):
    """Only the owner may call this."""


class NotFound(Problem):
    """404: there is no such thing."""


class UnknownSensor(NotFound):
    """The host has no such sensor."""


class NoSamples(NotFound):
    """The sensor has no samples."""


class Conflict(Problem):
    """409: not possible in the present state."""


class SeveralSensors(Conflict):
    """The name is that of a kind with several sensors; ``fix`` lists them."""


class TooManyRequests(Problem):
    """429: try again after ``retry_after`` seconds."""


class Unavailable(Problem):
    """5xx: the host or the sensor cannot answer now."""


class SensorUnavailable(Unavailable):
    """The machine does not have the sensor, or cannot read it now."""


_BY_CODE: dict[str, type[Problem]] = {
    "invalid-sample": InvalidSample,
    "key-reused": KeyReused,
    "undecided": Undecided,
    "denied": Denied,
    "statistics-only": StatisticsOnly,
    "not-in-background": NotInBackground,
    "restricted": Restricted,
    "undeclared": Undeclared,
    "owner-only": OwnerOnly,
    "unknown-sensor": UnknownSensor,
    "no-samples": NoSamples,
    "several-sensors": SeveralSensors,
    "sensor-unavailable": SensorUnavailable,
}

_BY_STATUS: dict[int, type[Problem]] = {
    400: InvalidRequest,
    401: TokenRejected,
    403: PermissionMissing,
    404: NotFound,
    409: Conflict,
    413: InvalidRequest,
    415: InvalidRequest,
    422: InvalidRequest,
    429: TooManyRequests,
}


def problem(members: Mapping[str, Any], retry_after: float | None = None) -> Problem:
    """The exception for the members of a problem."""
    status = int(members.get("status", 0))
    by_status = _BY_STATUS.get(status, Unavailable if status >= 500 else Problem)
    return _BY_CODE.get(str(members.get("code")), by_status)(members, retry_after)


def problem_of_body(status: int, body: bytes | bytearray | memoryview, retry_after: str | None) -> Problem:
    """The exception for an answer with an error status."""
    try:
        members = json.loads(bytes(body))
    except ValueError:
        members = None
    if not isinstance(members, dict):
        members = {"title": f"HTTP status {status}", "code": f"http-{status}"}
    members.setdefault("status", status)
    try:
        seconds = None if retry_after is None else float(retry_after)
    except ValueError:
        seconds = None
    return problem(members, seconds)

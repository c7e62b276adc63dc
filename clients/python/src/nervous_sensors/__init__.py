"""Client of Nervous, a host for a person's own sensor data.

    from nervous_sensors import Client

    with Client() as nervous:
        print(nervous.latest("cpu").values["busy"])
"""

from ._async_client import AsyncClient
from ._client import Client
from ._columns import Batch, Field, SampleTable
from ._errors import (
    Conflict,
    ConnectionFailed,
    Denied,
    InvalidAnswer,
    InvalidRequest,
    InvalidSample,
    KeyReused,
    NervousError,
    NoSamples,
    NotFound,
    NotInBackground,
    OwnerOnly,
    PermissionMissing,
    Problem,
    Restricted,
    SensorUnavailable,
    SeveralSensors,
    StatisticsOnly,
    TokenRejected,
    TooManyRequests,
    Unavailable,
    Undecided,
    Undeclared,
    UnknownSensor,
)
from ._events import Damage, Event, Gap, Opened, Refused, Sample
from ._models import (
    Analysis,
    Caller,
    Latest,
    Permission,
    Published,
    Sensor,
    Session,
    Window,
    Windows,
)
from ._operations import Retries

__version__ = "0.1.0"

__all__ = [
    "Analysis",
    "AsyncClient",
    "Batch",
    "Caller",
    "Client",
    "Conflict",
    "ConnectionFailed",
    "Damage",
    "Denied",
    "Event",
    "Field",
    "Gap",
    "InvalidAnswer",
    "InvalidRequest",
    "InvalidSample",
    "KeyReused",
    "Latest",
    "NervousError",
    "NoSamples",
    "NotFound",
    "NotInBackground",
    "Opened",
    "OwnerOnly",
    "Permission",
    "PermissionMissing",
    "Problem",
    "Published",
    "Refused",
    "Restricted",
    "Retries",
    "Sample",
    "SampleTable",
    "Sensor",
    "SensorUnavailable",
    "Session",
    "SeveralSensors",
    "StatisticsOnly",
    "TokenRejected",
    "TooManyRequests",
    "Unavailable",
    "Undecided",
    "Undeclared",
    "UnknownSensor",
    "Window",
    "Windows",
]

"""A simulated GeoClue: a client that starts gets two positions, until org.example.Control.Deny."""

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

NAME = "org.freedesktop.GeoClue2"
CLIENT = "/org/freedesktop/GeoClue2/Client/1"
UNKNOWN_ALTITUDE = -1.7976931348623157e308
LOCATIONS = [(47.5, 8.25, 1000.0, UNKNOWN_ALTITUDE, -1.0, -1.0), (47.75, 8.5, 12.0, 412.5, 1.5, 90.0)]


class Manager(dbus.service.Object):
    @dbus.service.method(NAME + ".Manager", out_signature="o")
    def GetClient(self):
        return dbus.ObjectPath(CLIENT)


class Client(dbus.service.Object):
    isDenied = False
    settings = {}

    @dbus.service.method("org.freedesktop.DBus.Properties", in_signature="ssv")
    def Set(self, interface, name, value):
        self.settings[name] = value

    @dbus.service.method(NAME + ".Client")
    def Start(self):
        if self.isDenied or self.settings != {"DesktopId": "nervous", "RequestedAccuracyLevel": 8}:
            raise dbus.DBusException("denied", name="org.freedesktop.DBus.Error.AccessDenied")
        GLib.idle_add(self.send)

    def send(self):
        paths = ["/"] + [location.path for location in PLACES]
        for old, new in zip(paths, paths[1:]):
            self.LocationUpdated(dbus.ObjectPath(old), dbus.ObjectPath(new))

    @dbus.service.signal(NAME + ".Client", signature="oo")
    def LocationUpdated(self, old, new):
        pass


class Location(dbus.service.Object):
    def __init__(self, number, values):
        self.path = "%s/Location/%d" % (CLIENT, number)
        super().__init__(BUS, self.path)
        self.number, self.values = number, values

    @dbus.service.method("org.freedesktop.DBus.Properties", in_signature="s", out_signature="a{sv}")
    def GetAll(self, interface):
        names = ["Latitude", "Longitude", "Accuracy", "Altitude", "Speed", "Heading"]
        found = {name: dbus.Double(value) for name, value in zip(names, self.values)}
        found["Timestamp"] = dbus.Struct(
            (dbus.UInt64(1700000000 + self.number), dbus.UInt64(250000)), signature="tt")
        return dbus.Dictionary(found, signature="sv")


class Control(dbus.service.Object):
    """Denies the location, and restarts the service: the name gets another owner."""

    @dbus.service.method("org.example.Control")
    def Deny(self):
        Client.isDenied = True
        GLib.idle_add(self.restart)

    def restart(self):
        BUS.release_name(NAME)
        BUS.request_name(NAME)


DBusGMainLoop(set_as_default=True)
BUS = dbus.SessionBus()
OBJECTS = [Manager(BUS, "/org/freedesktop/GeoClue2/Manager"), Client(BUS, CLIENT), Control(BUS, "/control")]
PLACES = [Location(number, values) for number, values in enumerate(LOCATIONS)]
BUS.request_name(NAME)
GLib.MainLoop().run()

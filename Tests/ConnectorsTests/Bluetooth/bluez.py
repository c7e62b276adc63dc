"""A simulated BlueZ whose adapters, devices and values are controlled by a test.

Its one argument is JSON: {"adapters": {"hci0": true}, "devices": [...]}. A device has an address, and may
have name, alias, known (BlueZ has stored it), near (it is in range), connects ("yes", "fails",
"never"), resolves, and services: {uuid: {uuid: {"flags": [...], "value": "hex", "denies": true}}}.
The test controls the devices through the interface org.example.Control.
"""

import json
import os
import sys

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

BLUEZ = "org.bluez"
PROPERTIES = "org.freedesktop.DBus.Properties"
MANAGER = "org.freedesktop.DBus.ObjectManager"
CONTROL = "org.example.Control"
LOG = []
OBJECTS = {}


def error(name, text=""):
    failure = dbus.DBusException(text)
    failure._dbus_error_name = "org.bluez.Error." + name
    return failure


class Thing(dbus.service.Object):
    """An object of BlueZ with properties of one interface."""

    interface = ""

    def __init__(self, path, properties):
        super().__init__(BUS, path)
        self.path, self.properties = path, properties
        OBJECTS[path] = self
        ROOT.InterfacesAdded(path, self.interfaces())

    def interfaces(self):
        return dbus.Dictionary(
            {self.interface: dbus.Dictionary(self.properties, signature="sv")}, signature="sa{sv}")

    def change(self, **changed):
        self.properties.update(changed)
        self.PropertiesChanged(self.interface, dbus.Dictionary(changed, signature="sv"), [])

    def forget(self, name):
        if self.properties.pop(name, None) is not None:
            self.PropertiesChanged(self.interface, dbus.Dictionary({}, signature="sv"), [name])

    def remove(self):
        del OBJECTS[self.path]
        self.remove_from_connection()
        ROOT.InterfacesRemoved(dbus.ObjectPath(self.path), [self.interface])

    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, changed, gone):
        pass


class Root(dbus.service.Object):
    @dbus.service.method(MANAGER, out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        return dbus.Dictionary(
            {dbus.ObjectPath(path): thing.interfaces() for path, thing in OBJECTS.items()},
            signature="oa{sa{sv}}")

    @dbus.service.signal(MANAGER, signature="oa{sa{sv}}")
    def InterfacesAdded(self, path, interfaces):
        pass

    @dbus.service.signal(MANAGER, signature="oas")
    def InterfacesRemoved(self, path, interfaces):
        pass


class Clients(set):
    """Those who asked for something; who leaves the bus wants nothing any more."""

    departed = set()

    def take(self, name):
        self.add(name)

        def changed(owner):
            if not owner:
                Clients.departed.add(name)
                if name in self:
                    LOG.append("client gone")
                    self.discard(name)

        BUS.watch_name_owner(name, changed)


class Adapter(Thing):
    interface = "org.bluez.Adapter1"

    def __init__(self, name, powered):
        super().__init__("/org/bluez/" + name, {"Address": "00:00:00:00:00:01", "Powered": powered})
        self.seekers = Clients()

    @dbus.service.method(interface, in_signature="a{sv}")
    def SetDiscoveryFilter(self, options):
        LOG.append("SetDiscoveryFilter %s" % options.get("Transport", ""))

    @dbus.service.method(interface, sender_keyword="sender")
    def StartDiscovery(self, sender=None):
        LOG.append("StartDiscovery")
        if not self.properties["Powered"]:
            raise error("NotReady", "Resource Not Ready")
        self.seekers.take(sender)
        GLib.idle_add(self.look)

    @dbus.service.method(interface, sender_keyword="sender")
    def StopDiscovery(self, sender=None):
        LOG.append("StopDiscovery")
        self.seekers.discard(sender)

    def look(self):
        if self.seekers:
            for device in DEVICES.values():
                if device["near"]:
                    heard(device, self)
        return False


class Device(Thing):
    interface = "org.bluez.Device1"

    def __init__(self, about, adapter):
        self.about, self.connected = about, False
        path = adapter.path + "/dev_" + about["address"].replace(":", "_")
        properties = {
            "Address": about["address"], "Adapter": dbus.ObjectPath(adapter.path),
            "Connected": False, "ServicesResolved": False,
            "Alias": about.get("alias") or about.get("name") or about["address"].replace(":", "-"),
        }
        if about.get("name"):
            properties["Name"] = about["name"]
        if about["near"]:
            properties["RSSI"] = dbus.Int16(-60)
        super().__init__(path, properties)

    @dbus.service.method(interface, async_callbacks=("answer", "fail"))
    def Connect(self, answer, fail):
        LOG.append("Connect " + self.about["address"])
        how = self.about.get("connects", "yes") if self.about["near"] else "fails"
        if how == "never":
            return
        if how == "fails":
            return fail(error("Failed", "le-connection-abort-by-local \x1b[2J"))
        self.join()
        answer()

    def join(self):
        self.change(Connected=True)
        if not self.about.get("resolves", True):
            return
        for number, (uuid, wanted) in enumerate(self.about.get("services", {}).items()):
            path = "%s/service%04x" % (self.path, number)
            if path not in OBJECTS:
                Service(path, {"UUID": uuid, "Primary": True, "Device": dbus.ObjectPath(self.path)})
            for index, (name, about) in enumerate(wanted.items()):
                object_path = "%s/char%04x" % (path, index)
                if object_path not in OBJECTS:
                    Characteristic(object_path, path, name, about)
        self.change(ServicesResolved=True)

    @dbus.service.method(interface)
    def Disconnect(self):
        LOG.append("Disconnect " + self.about["address"])
        self.leave()

    def leave(self):
        for thing in self.beneath():
            if isinstance(thing, Characteristic):
                thing.listeners.clear()
        if self.properties["Connected"]:
            self.change(ServicesResolved=False, Connected=False)

    def beneath(self):
        return [thing for path, thing in OBJECTS.items() if path.startswith(self.path + "/")]


class Service(Thing):
    interface = "org.bluez.GattService1"


class Characteristic(Thing):
    interface = "org.bluez.GattCharacteristic1"

    def __init__(self, path, service, uuid, about):
        self.about, self.listeners = about, Clients()
        super().__init__(path, {
            "UUID": uuid, "Service": dbus.ObjectPath(service),
            "Flags": dbus.Array(about.get("flags", ["notify"]), signature="s"),
            "Value": value_of(bytes.fromhex(about.get("value", "")))})

    @dbus.service.method(interface, sender_keyword="sender")
    def StartNotify(self, sender=None):
        LOG.append("StartNotify " + self.properties["UUID"])
        if self.about.get("denies"):
            raise error("NotPermitted", "Notify refused")
        self.listeners.take(sender)

    @dbus.service.method(interface, sender_keyword="sender")
    def StopNotify(self, sender=None):
        LOG.append("StopNotify " + self.properties["UUID"])
        self.listeners.discard(sender)

    @dbus.service.method(interface, in_signature="a{sv}", out_signature="ay")
    def ReadValue(self, options):
        LOG.append("ReadValue " + self.properties["UUID"])
        if self.about.get("denies"):
            raise error("NotPermitted", "Read refused")
        # BlueZ tells everybody of what one has read.
        self.change(Value=self.properties["Value"])
        return self.properties["Value"]


def value_of(content):
    return dbus.Array(content, signature="y")


def heard(about, adapter):
    path = adapter.path + "/dev_" + about["address"].replace(":", "_")
    device = OBJECTS.get(path)
    if device:
        device.change(RSSI=dbus.Int16(-55))
    else:
        Device(about, adapter)


class Control(dbus.service.Object):
    """How a test plays the devices."""

    def adapter(self):
        return next(thing for thing in OBJECTS.values() if isinstance(thing, Adapter))

    def device(self, address):
        return next((thing for thing in OBJECTS.values()
                     if isinstance(thing, Device) and thing.about["address"] == address), None)

    def characteristics(self, address, uuid):
        device = self.device(address)
        return [thing for thing in (device.beneath() if device else [])
                if isinstance(thing, Characteristic) and thing.properties["UUID"] == uuid]

    @dbus.service.method(CONTROL, in_signature="s")
    def Appear(self, address):
        DEVICES[address]["near"] = True
        for adapter in [thing for thing in OBJECTS.values() if isinstance(thing, Adapter)]:
            adapter.look()

    @dbus.service.method(CONTROL, in_signature="s")
    def Disappear(self, address):
        DEVICES[address]["near"] = False
        device = self.device(address)
        if device:
            device.forget("RSSI")
            device.leave()
            if not device.about.get("known"):
                for thing in [*device.beneath(), device]:
                    thing.remove()

    @dbus.service.method(CONTROL, in_signature="s")
    def Drop(self, address):
        self.device(address).leave()

    @dbus.service.method(CONTROL, in_signature="s")
    def Join(self, address):
        self.device(address).join()

    @dbus.service.method(CONTROL, in_signature="s")
    def Remove(self, address):
        device = self.device(address)
        for thing in [*device.beneath(), device]:
            thing.remove()

    @dbus.service.method(CONTROL, in_signature="ssaay", out_signature="b")
    def Notify(self, address, uuid, values):
        there = self.characteristics(address, uuid)
        for thing in there:
            for value in values:
                thing.properties["Value"] = value_of(value)
                if thing.listeners:
                    thing.change(Value=value_of(value))
        return bool(there and there[0].listeners)

    @dbus.service.method(CONTROL, in_signature="ssv")
    def NotifyInvalid(self, address, uuid, value):
        for thing in self.characteristics(address, uuid):
            thing.PropertiesChanged(
                thing.interface, dbus.Dictionary({"Value": value}, signature="sv"), [])

    @dbus.service.method(CONTROL, in_signature="b")
    def Power(self, isOn):
        if not isOn:
            for device in [thing for thing in OBJECTS.values() if isinstance(thing, Device)]:
                device.leave()
        self.adapter().change(Powered=isOn)

    @dbus.service.method(CONTROL)
    def Unplug(self):
        for thing in list(OBJECTS.values()):
            thing.remove()

    @dbus.service.method(CONTROL, in_signature="sb")
    def Plug(self, name, isOn):
        Adapter(name, isOn)

    @dbus.service.method(CONTROL, in_signature="i")
    def Crowd(self, count):
        for number in range(count):
            address = "02:00:00:%02X:%02X:%02X" % (number >> 16, number >> 8 & 255, number & 255)
            Device({"address": address, "name": "x" * 248, "near": True}, self.adapter())

    @dbus.service.method(CONTROL, out_signature="as")
    def Log(self):
        return dbus.Array(LOG, signature="s")

    @dbus.service.method(CONTROL, out_signature="i")
    def DisconnectedClients(self):
        """The number of disconnected clients; all their messages have been processed."""
        return len(Clients.departed)

    @dbus.service.method(CONTROL, out_signature="i")
    def OpenCount(self):
        """How much is begun and not ended."""
        held = 0
        for thing in OBJECTS.values():
            if isinstance(thing, Adapter):
                held += len(thing.seekers)
            if isinstance(thing, Device):
                held += int(thing.properties["Connected"])
            if isinstance(thing, Characteristic):
                held += len(thing.listeners)
        return held


if __name__ == "__main__":
    DBusGMainLoop(set_as_default=True)
    BUS = dbus.bus.BusConnection(os.environ["DBUS_SESSION_BUS_ADDRESS"])
    # A test that crashed leaves nothing behind that its bus does not.
    BUS.set_exit_on_disconnect(True)
    ROOT = Root(BUS, "/")
    setup = json.loads(sys.argv[1])
    DEVICES = {}
    for about in setup.get("devices", []):
        about.setdefault("near", True)
        DEVICES[about["address"]] = about
    for name, powered in setup.get("adapters", {"hci0": True}).items():
        adapter = Adapter(name, powered)
        for about in DEVICES.values():
            if about.get("known"):
                Device(about, adapter)
                OBJECTS[adapter.path + "/dev_" + about["address"].replace(":", "_")].forget("RSSI")
    Control(BUS, "/control")
    name = dbus.service.BusName(BLUEZ, BUS)
    GLib.MainLoop().run()

"""A peer on the bus that answers as the tests of DBus want it, also as nobody should."""

import os

import dbus
import dbus.lowlevel
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

NAME = "org.example.Peer"


class Refusal(dbus.DBusException):
    _dbus_error_name = "org.example.Error.NotAllowed"


class Peer(dbus.service.Object):
    notes = 0

    @dbus.service.method(NAME, in_signature="v", out_signature="v")
    def Echo(self, value):
        return value

    @dbus.service.method(NAME, in_signature="ssua{sv}", out_signature="ssua{sv}")
    def Pass(self, first, second, number, options):
        return first, second, number, options

    @dbus.service.method(NAME, out_signature="s")
    def Refuse(self):
        raise Refusal("not \x1b[2Jtoday")

    @dbus.service.method(NAME, async_callbacks=("answer", "fail"))
    def Never(self, answer, fail):
        pass

    @dbus.service.method(NAME, in_signature="i", out_signature="v")
    def Deep(self, levels):
        return dbus.Int32(1, variant_level=levels)

    @dbus.service.method(NAME, in_signature="i", out_signature="ab")
    def Many(self, count):
        return [True] * count

    @dbus.service.method(NAME, in_signature="i", out_signature="ay")
    def Long(self, count):
        return dbus.ByteArray(b"x" * count)

    @dbus.service.method(NAME)
    def Note(self):
        Peer.notes += 1

    @dbus.service.method(NAME, out_signature="i")
    def Notes(self):
        return Peer.notes

    @dbus.service.signal(NAME, signature="i")
    def Ping(self, number):
        pass

    @dbus.service.signal(NAME, signature="v")
    def Nested(self, value):
        pass

    @dbus.service.method(NAME, in_signature="i")
    def Emit(self, count):
        for number in range(count):
            self.Ping(number)

    @dbus.service.method(NAME, in_signature="i")
    def EmitDeep(self, levels):
        self.Nested(dbus.Int32(1, variant_level=levels))

    @dbus.service.method(NAME, sender_keyword="sender")
    def EmitAsStranger(self, sender=None):
        stranger = dbus.bus.BusConnection(ADDRESS)
        signal = dbus.lowlevel.SignalMessage("/peer", NAME, "Ping")
        signal.append(666, signature="i")
        signal.set_destination(sender)
        stranger.send_message(signal)
        stranger.flush()
        stranger.get_name_owner(NAME)
        stranger.close()


if __name__ == "__main__":
    ADDRESS = os.environ["DBUS_SESSION_BUS_ADDRESS"]
    DBusGMainLoop(set_as_default=True)
    bus = dbus.SessionBus()
    peer = Peer(bus, "/peer")
    name = dbus.service.BusName(NAME, bus)
    GLib.MainLoop().run()

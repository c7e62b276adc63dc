import Testing

@testable import DBus

/// Addresses of buses, and the syntax of match rules.
struct BusAddressTests {
    @Test func `the system bus address is that of the environment, or the default`() {
        let usual = "unix:path=/run/dbus/system_bus_socket"
        #expect(BusAddress.system(in: [:]) == usual)
        #expect(BusAddress.system(in: ["DBUS_SYSTEM_BUS_ADDRESS": ""]) == usual)
        #expect(
            BusAddress.system(in: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/x"]) == "unix:path=/x")
    }

    @Test(arguments: [("/run/a-b_c.d/e", "/run/a-b_c.d/e"), ("/ä;,=%\n", "/%c3%a4%3b%2c%3d%25%0a")])
    func `a path within an address is escaped`(path: String, escaped: String) {
        #expect(BusAddress.socket(at: path) == "unix:path=" + escaped)
    }

    @Test func `a match rule escapes quotes`() {
        let match = BusMatch(
            sender: ":1.7", path: "/a", interface: "b.c", member: "D", first: "e',member='X")
        #expect(
            match.rule
                == #"type='signal',sender=':1.7',path='/a',interface='b.c',member='D',"#
                + #"arg0='e'\'',member='\''X'"#)
    }

    @Test(arguments: [
        ("/a", true), ("/a/b", true), ("/ab", false), ("/", false),
    ])
    func `a namespace matches a path and the paths below it`(path: String, fits: Bool) {
        let signal = BusSignal(
            sender: ":1.7", path: path, interface: "b.c", member: "D", arguments: [])
        #expect(BusMatch(sender: ":1.7", namespace: "/a").matches(signal) == fits)
        #expect(BusMatch(sender: ":1.7", namespace: "/").matches(signal))
        #expect(!BusMatch(sender: ":1.8", namespace: "/").matches(signal))
    }
}

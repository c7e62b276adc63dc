import Connectors
import Ingest
import Samples
import Testing
import VM

struct SensorPackTests {
    /// The text of a valid pack with one part replaced.
    private static func text(_ old: String = "", _ new: String = "") -> String {
        let whole = #"""
            {
              "id": "door.front", "title": "Front door", "version": "1", "description": "By the mat.",
              "source": {"kind": "serial", "device": "/dev/ttyUSB0", "baud": 9600},
              "payload": {"format": "key-value", "sparse": true},
              "fields": [
                {"name": "door", "kind": "state", "from": "Switch state",
                 "states": {"0": "open", "1": "closed"}},
                {"name": "battery", "unit": "%", "from": "Battery Level", "min": 0, "max": 100}
              ]
            }
            """#
        return old.isEmpty ? whole : whole.replacing(old, with: new)
    }

    private static func refusal(of text: String) -> String? {
        do throws(PackError) {
            _ = try SensorPack(Array(text.utf8))
            return nil
        } catch {
            return error.message
        }
    }

    @Test func `a pack describes a new sensor without code`() throws {
        let pack = try SensorPack(Array(Self.text().utf8))
        #expect(pack.id == "door.front")
        #expect(pack.title == "Front door")
        #expect(pack.kind == "serial")
        #expect(pack.version == "1")
        #expect(pack.explanation == "By the mat.")
        #expect(pack.sensor.source == "/dev/ttyUSB0")
        #expect(pack.sensor.fields.map(\.name) == ["door", "battery"])
        #expect(pack.sensor.fields.map(\.unit) == [nil, "%"])
        #expect(pack.highestRate == 1000)
        var maker = pack.maker
        let now = SourceTests.start
        #expect(maker.take(Array("Switch state: 1".utf8), at: now) == .incomplete)
        let outcome = maker.take(Array("Battery Level: 168.8%".utf8), at: now)
        #expect(outcome == .sample(Sample(time: now, values: [.text("closed"), .number(100)])))
    }

    @Test(
        arguments: [
            (#""id": "door.front", "#, "", "sensor at 1:1 has no id."),
            ("door.front", "Front Door", "sensor.id at 2:9 is not a sensor identifier"),
            (#""title": "Front door", "#, "", "sensor at 1:1 has no title."),
            (
                "Front door", "",
                "sensor.title at 2:32 is not a text of 1 to 256 printable characters"
            ),
            ("Front door", #"a\u202Eb"#, "sensor.title at 2:32 is not a text"),
            (#""version": "1""#, #""version": 1"#, "sensor.version at 2:57 is not a text"),
            (#""version""#, #""vresion""#, "sensor.vresion at 2:46 is an unknown key."),
            (
                #""source": {"kind": "serial", "device": "/dev/ttyUSB0", "baud": 9600},"#, "",
                "sensor at 1:1 has no source."
            ),
            (#""kind": "serial", "#, "", "sensor.source at 3:13 has no kind."),
            (
                #""kind": "serial""#, #""kind": "smoke""#,
                "sensor.source.kind at 3:22 is not one of serial, "
            ),
            (#""device": "/dev/ttyUSB0", "#, "", "sensor.source at 3:13 has no device."),
            ("/dev/ttyUSB0", "/etc/passwd", "sensor.source.device at 3:42 is not a device path"),
            (
                "/dev/ttyUSB0", "/dev/../etc/passwd",
                "sensor.source.device at 3:42 is not a device path"
            ),
            ("/dev/ttyUSB0", "/dev/tty", "sensor.source.device at 3:42 is not a device path"),
            ("/dev/ttyUSB0", "/dev/", "sensor.source.device at 3:42 is not a device path"),
            ("9600", "9601", "sensor.source.baud at 3:66 is not one of 300, "),
            ("9600", "0", "sensor.source.baud at 3:66 is not an integer from 1 to"),
            ("\"baud\": 9600", "\"speed\": 9600", "sensor.source.speed at 3:58 is an unknown key."),
            (
                "\"baud\": 9600", "\"send\": [7]",
                "sensor.source.send at 3:67 contains a value that is not a text."
            ),
            ("\"baud\": 9600", "\"skip\": -1", "sensor.source.skip at 3:66 is not an integer"),
            (
                "\"baud\": 9600", "\"timeout\": \"0s\"",
                "sensor.source.timeout at 3:69 is not a duration from 1s to 366d, such as 10s."
            ),
            (
                "\"baud\": 9600", "\"highestRate\": 0",
                "sensor.source.highestRate at 3:73 is not a number"
            ),
            (
                "key-value", "yaml",
                "sensor.payload.format at 4:25 is not one of json, csv, key-value, "
            ),
            (
                #""format": "key-value", "#, "",
                "sensor.payload needs a format: json, csv, key-value"
            ),
            ("key-value", "pattern", "sensor.payload has no pattern."),
            ("true}", "1}", "sensor.payload.sparse at 4:48"),
            ("key-value", "csv", "sensor.fields: Switch state is not a column number (from 1)."),
            ("true}", #"true, "time": {"from": "t"}}"#, "sensor.payload.time at 4:62 has no form."),
            (
                "true}", #"true, "time": {"from": "t", "form": "h"}}"#,
                "sensor.payload.time.form at 4:84 is not one of s, ms, us, ns, rfc3339."
            ),
            (#""name": "door", "#, "", "sensor.fields[0] at 6:5 has no name."),
            (
                #""name": "battery""#, #""name": "door""#,
                "sensor: The field door is declared twice."
            ),
            (
                "state\",", "colour\",",
                "sensor.fields[0].kind at 6:30 is not one of number, integer, state, text."
            ),
            (
                #""unit": "%""#, #""unit": "%", "states": {"a": "b"}"#,
                "sensor.fields[1].states at 8:48 requires a field of kind state."
            ),
            (
                #""kind": "state", "#, #""kind": "state", "scale": 2, "#,
                "sensor.fields[0].kind at 6:30 allows no scale, offset, min, max, margin or suffix"
            ),
            ("\"max\": 100", "\"max\": -1", "sensor.fields[1].max at 8:80 is less than min."),
            ("\"max\": 100", "\"most\": 100", "sensor.fields[1].most at 8:73 is an unknown key."),
            (
                "\"0\": \"open\"", "\"0\": 0",
                "sensor.fields[0].states at 7:22 contains a value that is not a text."
            ),
            ("\"id\"", "\"id\": 1, \"id\"", "sensor.json:2:12: the key"),
            ("[\n", "[[],\n", "sensor.fields[0] at 5:14 is not an object."),
        ])
    func `an invalid pack is rejected with the position and the expected value`(
        old: String, new: String, message: String
    ) throws {
        let text = Self.text(old, new)
        #expect(text != Self.text())
        let refusal = try #require(Self.refusal(of: text))
        #expect(refusal.hasPrefix(message), "\(refusal)")
        #expect(refusal.hasSuffix("."))
    }

    @Test(
        arguments: [
            (#"{"kind": "command", "command": ["dht", "-x"], "every": "10s"}"#, "dht -x"),
            (#"{"kind": "command", "command": ["/usr/bin/dht"]}"#, "/usr/bin/dht"),
            (
                #"{"kind": "serial", "device": "/dev/serial/by-id/usb-1", "send": ["AT\r"], "skip": 0}"#,
                "/dev/serial/by-id/usb-1"
            ),
            (
                #"{"kind": "http-poll", "url": "http://192.168.1.2/x?key=secret", "every": "1m"}"#,
                "http://192.168.1.2/x"
            ),
            (
                #"{"kind": "http-poll", "url": "https://localhost", "every": "5s", "timeout": "1s", "lines": true, "headers": {"X-Key": "a"}, "pin": "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="}"#,
                "https://localhost/"
            ),
        ])
    func `each kind shows its source without secrets`(source: String, sourceName: String) throws {
        let pack = try SensorPack(
            Array(
                #"{"id": "a", "title": "A", "source": \#(source), "payload": {"format": "json"}, "fields": [{"name": "v"}]}"#
                    .utf8))
        #expect(pack.sensor.source == sourceName)
    }

    @Test(
        arguments: [
            (#""kind": "command""#, "has no command."),
            (#""kind": "command", "command": []"#, "is not an array of 1 to 64 texts."),
            (
                #""kind": "command", "command": ["bin/dht"]"#,
                "must begin with the absolute path"
            ),
            (#""kind": "command", "command": [""]"#, "must begin with"),
            (
                #""kind": "command", "command": ["a"], "every": "10""#,
                "is not a duration from 100ms to 366d"
            ),
            (#""kind": "command", "command": ["a"], "shell": true"#, "sensor.source.shell at"),
            (#""kind": "http-poll", "every": "1s""#, "has no url."),
            (#""kind": "http-poll", "url": "ftp://a", "every": "1s""#, "is not a URL such as"),
            (
                #""kind": "http-poll", "url": "http://a:b@c/", "every": "1s""#,
                "is not a URL such as"
            ),
            (#""kind": "http-poll", "url": "http://a""#, "has no every."),
            (
                #""kind": "http-poll", "url": "http://a", "every": "999ms""#,
                "is not a duration from 1s"
            ),
            (
                #""kind": "http-poll", "url": "http://a", "every": "1s", "headers": {"Host": "b"}"#,
                "contains an invalid or a reserved header field"
            ),
            (
                #""kind": "http-poll", "url": "http://a", "every": "1s", "headers": {"A": "b\nC: d"}"#,
                "contains an invalid or a reserved header field"
            ),
            (
                #""kind": "http-poll", "url": "http://a", "every": "1s", "pin": "sha256/x""#,
                "is not a sha256/"
            ),
        ])
    func `each kind rejects invalid settings`(source: String, message: String) throws {
        let refusal = try #require(
            Self.refusal(
                of: #"{"id": "a", "title": "A", "source": {\#(source)}, "fields": [{"name": "v"}]}"#
            ))
        #expect(refusal.hasPrefix("sensor.source"), "\(refusal)")
        #expect(refusal.contains(message), "\(refusal)")
    }

    private static func frame(_ payload: String, from: String = "u16be@10") -> String {
        #"{"id": "dust.desk", "title": "Dust", "fields": [{"name": "pm", "from": "\#(from)"}], "#
            + #""source": {"kind": "serial", "device": "/dev/ttyUSB0", "bits": 7, "parity": "even", "#
            + #""stop": 1}, "payload": {\#(payload)}}"#
    }

    @Test(arguments: [
        #""format": "frame", "start": "42 4D", "length": 32, "checksum": {"kind": "sum16be"}"#,
        #""format": "frame", "start": "42 4d", "lengthFrom": "u16be@2", "lengthPlus": 4"#,
        #""format": "frame", "start": "AA", "length": 20, "end": "AB", "checksum": {"kind": "sum8", "from": 2}"#,
    ])
    func `a pack describes binary messages`(payload: String) {
        #expect(Self.refusal(of: Self.frame(payload)) == nil)
    }

    @Test(arguments: [
        (#""format": "frame", "length": 32"#, "u8@0", "has no start."),
        (#""format": "frame", "start": "42 4D""#, "u8@0", "has no length."),
        (
            #""format": "frame", "start": "4", "length": 9"#, "u8@0",
            "is not 1 to 8 bytes in hexadecimal"
        ),
        (
            #""format": "frame", "start": "AA", "length": 1, "end": "AB""#, "u8@0",
            "a frame has 2 to 1024"
        ),
        (
            #""format": "frame", "start": "AA", "lengthFrom": "u16@2""#, "u8@0",
            "is not a number of a frame"
        ),
        (
            #""format": "frame", "start": "AA", "length": 9, "checksum": {"kind": "md5"}"#, "u8@0",
            "is not one of sum8"
        ),
        (
            #""format": "frame", "start": "AA", "length": 9"#, "u16",
            "u16 is not a number of a frame"
        ),
        (#""format": "dsmr""#, "power", "power is not an OBIS code"),
        (#""format": "nmea""#, "depth", "depth is not one of the values latitude"),
    ])
    func `invalid binary messages, codes and names are refused`(
        payload: String, from: String, message: String
    ) throws {
        let refusal = try #require(Self.refusal(of: Self.frame(payload, from: from)))
        #expect(refusal.contains(message), "\(refusal)")
    }

    @Test func `a pattern has up to 1024 characters`() {
        func text(_ count: Int) -> String {
            let group = "(?<v>[0-9]+)"
            let pattern = group + String(repeating: "a", count: count - group.count)
            return #"{"id": "a", "title": "A", "fields": [{"name": "v"}], "#
                + #""source": {"kind": "serial", "device": "/dev/ttyUSB0"}, "#
                + #""payload": {"format": "pattern", "pattern": "\#(pattern)"}}"#
        }
        #expect(Self.refusal(of: text(1024)) == nil)
        #expect(Self.refusal(of: text(1025))?.contains("of 1 to 1024 printable") == true)
    }
}

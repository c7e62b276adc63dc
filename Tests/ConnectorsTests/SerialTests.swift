import Foundation
import Glibc
import Ingest
import Samples
import Testing
import VM

@testable import Connectors

struct SerialTests {
    private static func with<T>(
        baud: Int = 9600, framing: SerialFraming = .standard, sent: String = "", skipped: Int = 0,
        timeout: Duration? = nil,
        _ body: (SerialDevice, SupervisedSource) async throws -> T
    ) async throws -> T {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "serial-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let device = SerialDevice(
            path: folder.path(percentEncoded: false) + "/device", baud: baud, framing: framing,
            sent: sent, skipped: skipped, timeout: timeout)
        return try await body(device, try ConnectorKindTests.source(device.connector))
    }

    /// The error message of one connection.
    private static func fault(at path: String, baud: Int = 9600) async throws -> String {
        let connector = SerialConnector(device: path, baud: baud)
        let sink = SampleSink(
            maker: try CommandTests.maker, limit: TokenBucket(rate: 10),
            time: ScriptedTime(clock: { ConnectorKindTests.now }))
        do {
            try await connector.connect(sink)
            return "it ended"
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [(9600, B9600), (115_200, B115200), (300, B300)])
    func `a port is raw, has 8 bits without parity and the configured baud rate`(
        baud: Int, speed: Int32
    ) async throws {
        try await Self.with(baud: baud) { device, source in
            try device.attach()
            // As another program could have left it.
            var mode = termios()
            tcgetattr(device.master, &mode)
            mode.c_iflag |= tcflag_t(IXON | ICRNL | ISTRIP)
            mode.c_cflag |= tcflag_t(PARENB | CSTOPB | HUPCL)
            tcsetattr(device.master, TCSANOW, &mode)
            let samples = source.samples()
            try await ConnectorKindTests.connected(source)
            tcgetattr(device.master, &mode)
            #expect(cfgetospeed(&mode) == speed_t(speed))
            #expect(cfgetispeed(&mode) == speed_t(speed))
            #expect(mode.c_cflag & tcflag_t(CSIZE) == tcflag_t(CS8))
            #expect(mode.c_cflag & tcflag_t(PARENB | CSTOPB | HUPCL) == 0)
            #expect(mode.c_cflag & tcflag_t(CLOCAL | CREAD) == tcflag_t(CLOCAL | CREAD))
            #expect(mode.c_lflag & tcflag_t(ICANON | ECHO | ISIG | IEXTEN) == 0)
            #expect(mode.c_iflag & tcflag_t(IXON | ICRNL | ISTRIP | INLCR | IGNCR) == 0)
            #expect(mode.c_oflag & tcflag_t(OPOST) == 0)
            withExtendedLifetime(samples) {}
        }
    }

    @Test func `configured output is written unchanged after opening`() async throws {
        try await Self.with(sent: "START\r\nRATE 1\r") { device, source in
            try device.attach()
            let samples = source.samples()
            try await ConnectorKindTests.connected(source)
            #expect(device.receivedText() == "START\r\nRATE 1\r")
            withExtendedLifetime(samples) {}
        }
    }

    @Test func `the first line of a connection, which may be incomplete, is skipped`()
        async throws
    {
        try await Self.with(skipped: 1) { device, source in
            var samples = source.samples().makeAsyncIterator()
            for session in 1...2 {
                try device.attach()
                try await ConnectorKindTests.connected(source, times: session)
                try await device.send(": 777\nv: \(session)\n")
                #expect(try await samples.next()?.values == [.number(Double(session))])
                try await device.detach()
                try await ConnectorKindTests.reach(source, "its end") { $0.link != .connected }
            }
            #expect(source.report?.received == 2)
        }
    }

    @Test func `a silent device is reconnected`() async throws {
        try await Self.with(timeout: .milliseconds(50)) { device, source in
            try device.attach()
            let samples = source.samples()
            try await ConnectorKindTests.reach(source, "three connections") { $0.connections >= 3 }
            try await ConnectorKindTests.reach(source, "the reason") {
                $0.problem?.contains("stopped sending") == true
            }
            withExtendedLifetime(samples) {}
        }
    }

    @Test func `lines that never match cause a warning about the baud rate`() async throws {
        try await Self.with { device, source in
            try device.attach()
            var samples = source.samples().makeAsyncIterator()
            try await ConnectorKindTests.connected(source)
            for _ in 0..<20 { try await device.send([0xF8, 0x00, 0xE0, 0x0A]) }
            let report = try await ConnectorKindTests.reach(source, "the doubt") {
                $0.problem != nil
            }
            #expect(report.problem?.contains("is 9600 its baud rate?") == true)
            #expect(report.link == .connected)
            #expect(report.dropped.malformed == 20)
            try await device.send("v: 1\n")
            #expect(try await samples.next()?.values == [.number(1)])
            try await ConnectorKindTests.reach(source, "the end of the doubt") { $0.problem == nil }
        }
    }

    /// A pseudo-terminal has characters of eight bits only, like some adapters.
    @Test(arguments: [SerialFraming.Parity.even, .odd])
    func `seven bits with parity are read from ports that have no parity`(
        parity: SerialFraming.Parity
    ) async throws {
        let framing = SerialFraming(bits: 7, parity: parity, stop: 1)
        try await Self.with(framing: framing, sent: "GO") { device, source in
            try device.attach()
            var samples = source.samples().makeAsyncIterator()
            try await ConnectorKindTests.connected(source)
            let sent = "GO".utf8.map(parity.completed)
            let received = [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
                count = max(0, read(device.master, buffer.baseAddress, 16))
            }
            #expect(received == sent)
            let line = Array("v: 7\n".utf8)
            var wrong = line.map(parity.completed)
            wrong[3] ^= 0x80
            try await device.send(wrong + line.map(parity.completed))
            #expect(try await samples.next()?.values == [.number(7)])
            #expect(source.report?.dropped.malformed == 1)
        }
    }

    @Test func `a framing that a port does not support is an error`() async throws {
        try await Self.with { device, _ in
            try device.attach()
            let connector = SerialConnector(
                device: device.path, baud: 9600,
                framing: SerialFraming(bits: 8, parity: .even, stop: 1))
            let sink = SampleSink(
                maker: try SampleMaker(
                    format: .keyValue, names: ["v"], rules: [FieldRule(Field("v"))]),
                limit: TokenBucket(rate: 10), time: ScriptedTime.withoutWaiting)
            let error = await #expect(throws: ConnectorError.self) {
                try await connector.connect(sink)
            }
            #expect(error?.message.contains("does not support 8E1") == true)
        }
    }

    @Test(
        arguments: [
            ("even", 0x41, 0x41), ("even", 0x43, 0xC3), ("odd", 0x41, 0xC1), ("odd", 0x43, 0x43),
            ("none", 0xC3, 0xC3),
        ] as [(String, UInt8, UInt8)])
    func `parity completes seven bits to an even or odd number of ones`(
        name: String, byte: UInt8, completed: UInt8
    ) throws {
        let parity = try #require(SerialFraming.Parity(rawValue: name))
        #expect(parity.completed(byte) == completed)
        guard parity != .none else { return }
        #expect(parity.checked(completed) == byte)
        #expect(parity.checked(completed ^ 0x80) == 0)
    }

    @Test func `errors of a port include a remedy`() async throws {
        let missing = try await Self.fault(at: "/dev/serial/by-id/none")
        #expect(missing.hasPrefix("/dev/serial/by-id/none does not exist; plug the device in"))
        let null = try await Self.fault(at: "/dev/null")
        #expect(null.hasPrefix("/dev/null is not a serial port"))
        try await Self.with { device, _ in
            try device.attach()
            let other = open(device.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
            defer { close(other) }
            #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
            let taken = try await Self.fault(at: device.path)
            #expect(taken == "\(device.path) is in use by another program; close that first.")
        }
    }

    @Test func `the device of a pack is opened in the folder that replaces the one of devices`()
        async throws
    {
        let text = """
            {"id": "radiation.geiger", "title": "Counter",
             "fields": [{"name": "rate", "unit": "/min", "from": "CPM"}],
             "source": {"kind": "serial", "device": "/dev/ttyUSB0"},
             "payload": {"format": "key-value"}}
            """
        let pack = try SensorPack(
            Array(text.utf8), budget: HostRateLimiter(), devices: "/somewhere/dev")
        #expect(pack.connector.sourceName == "/dev/ttyUSB0")
        let sink = SampleSink(
            maker: pack.maker, limit: TokenBucket(rate: 10),
            time: ScriptedTime(clock: { ConnectorKindTests.now }))
        let error = await #expect(throws: ConnectorError.self) {
            try await pack.connector.connect(sink)
        }
        #expect(error?.message.hasPrefix("/somewhere/dev/ttyUSB0 does not exist") == true)
    }

    @Test(.enabled(if: geteuid() != 0, "root may open everything"))
    func `a permission error names the group to join`() async throws {
        try await Self.with { device, _ in
            try Data().write(to: URL(filePath: device.path))
            chmod(device.path, 0)
            let refused = try await Self.fault(at: device.path)
            #expect(refused.contains("usermod -aG dialout"))
        }
    }
}

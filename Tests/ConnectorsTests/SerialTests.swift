import Foundation
import Glibc
import Ingest
import Samples
import Testing
import VM

@testable import Connectors

struct SerialTests {
    private static func with<T>(
        baud: Int = 9600, sent: String = "", skipped: Int = 0, patience: Duration? = nil,
        _ body: (SerialDevice, SupervisedSource) async throws -> T
    ) async throws -> T {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "serial-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let device = SerialDevice(
            path: folder.path(percentEncoded: false) + "/device", baud: baud, sent: sent,
            skipped: skipped, patience: patience)
        return try await body(device, try KindTests.source(device.connector))
    }

    /// What one connection ends with.
    private static func fault(at path: String, baud: Int = 9600) async throws -> String {
        let connector = SerialConnector(device: path, baud: baud)
        let sink = SampleSink(
            maker: try CommandTests.maker, limit: TokenBucket(rate: 10),
            time: ScriptedTime(clock: { KindTests.now }))
        do {
            try await connector.connect(sink)
            return "it ended"
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [(9600, B9600), (115_200, B115200), (300, B300)])
    func `C2: a port is raw, of 8 bits without parity, and as fast as it is told`(
        baud: Int, speed: Int32
    ) async throws {
        try await Self.with(baud: baud) { device, source in
            try device.come()
            // As if another program had left it so.
            var mode = termios()
            tcgetattr(device.master, &mode)
            mode.c_iflag |= tcflag_t(IXON | ICRNL | ISTRIP)
            mode.c_cflag |= tcflag_t(PARENB | CSTOPB | HUPCL)
            tcsetattr(device.master, TCSANOW, &mode)
            let samples = source.samples()
            try await KindTests.connected(source)
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

    @Test func `what is to be sent is written after opening, as it stands`() async throws {
        try await Self.with(sent: "START\r\nRATE 1\r") { device, source in
            try device.come()
            let samples = source.samples()
            try await KindTests.connected(source)
            #expect(device.heard() == "START\r\nRATE 1\r")
            withExtendedLifetime(samples) {}
        }
    }

    @Test func `the first line of a connection, which may be half of one, is passed over`()
        async throws
    {
        try await Self.with(skipped: 1) { device, source in
            var samples = source.samples().makeAsyncIterator()
            for session in 1...2 {
                try device.come()
                try await KindTests.connected(source, times: session)
                try await device.say(": 777\nv: \(session)\n")
                #expect(try await samples.next()?.values == [.number(Double(session))])
                try await device.go()
                try await KindTests.reach(source, "its end") { $0.link != .connected }
            }
            #expect(source.report?.received == 2)
        }
    }

    @Test func `C4: a device that says nothing any more is connected to anew`() async throws {
        try await Self.with(patience: .milliseconds(50)) { device, source in
            try device.come()
            let samples = source.samples()
            try await KindTests.reach(source, "three connections") { $0.connections >= 3 }
            try await KindTests.reach(source, "why") { $0.link != .connected }
            #expect(source.report?.problem?.contains("stopped sending") == true)
            withExtendedLifetime(samples) {}
        }
    }

    @Test func `C4: lines that never fit are told as a doubt about the baud rate`() async throws {
        try await Self.with { device, source in
            try device.come()
            var samples = source.samples().makeAsyncIterator()
            try await KindTests.connected(source)
            for _ in 0..<20 { try await device.say([0xF8, 0x00, 0xE0, 0x0A]) }
            try await KindTests.reach(source, "the doubt") { $0.problem != nil }
            #expect(source.report?.problem?.contains("is 9600 its baud rate?") == true)
            #expect(source.report?.link == .connected)
            #expect(source.report?.dropped.malformed == 20)
            try await device.say("v: 1\n")
            #expect(try await samples.next()?.values == [.number(1)])
            try await KindTests.reach(source, "the end of the doubt") { $0.problem == nil }
        }
    }

    @Test func `C4: what is wrong with a port is said, with what helps`() async throws {
        let missing = try await Self.fault(at: "/dev/serial/by-id/none")
        #expect(missing.hasPrefix("/dev/serial/by-id/none does not exist; plug the device in"))
        let null = try await Self.fault(at: "/dev/null")
        #expect(null.hasPrefix("/dev/null is not a serial port"))
        try await Self.with { device, _ in
            try device.come()
            let other = open(device.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
            defer { close(other) }
            #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
            let taken = try await Self.fault(at: device.path)
            #expect(taken == "\(device.path) is in use by another program; close that first.")
        }
    }

    @Test func `the device of a pack is looked for below the folder that stands for dev`()
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
        #expect(pack.connector.place == "/dev/ttyUSB0")
        let sink = SampleSink(
            maker: pack.maker, limit: TokenBucket(rate: 10),
            time: ScriptedTime(clock: { KindTests.now }))
        let error = await #expect(throws: ConnectorError.self) {
            try await pack.connector.connect(sink)
        }
        #expect(error?.message.hasPrefix("/somewhere/dev/ttyUSB0 does not exist") == true)
    }

    @Test(.enabled(if: geteuid() != 0, "root may open everything"))
    func `a port that may not be opened says which group opens it`() async throws {
        try await Self.with { device, _ in
            try Data().write(to: URL(filePath: device.path))
            chmod(device.path, 0)
            let refused = try await Self.fault(at: device.path)
            #expect(refused.contains("usermod -aG dialout"))
        }
    }
}

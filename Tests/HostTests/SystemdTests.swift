import Foundation
import Glibc
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Host

/// What the host notifies systemd of: that it is ready, that it reads its configuration again, that it works.
@Suite(.blocking)
struct SystemdTests {
    /// A part of the host that answers only while it does not hang.
    private final class Worker: Sendable {
        private struct State {
            var isHung = false
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Mutex(State())

        func answer() async {
            await withCheckedContinuation { continuation in
                let isHung = state.withLock { state in
                    if state.isHung { state.waiting.append(continuation) }
                    return state.isHung
                }
                if !isHung { continuation.resume() }
            }
        }

        func hang() { state.withLock { $0.isHung = true } }

        func recover() {
            let waiting = state.withLock { state in
                state.isHung = false
                defer { state.waiting = [] }
                return state.waiting
            }
            waiting.forEach { $0.resume() }
        }
    }

    /// Collects the messages of a log.
    private struct Recorder: LogHandler {
        final class Lines: Sendable {
            let all = Mutex<[String]>([])
        }

        let lines: Lines
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.all.withLock { $0.append("\(event.message)") }
        }
    }

    @Test(arguments: [false, true])
    func `systemd learns that the host is ready, with one line of status`(isAbstract: Bool) throws {
        let socket = try NotifySocket(isAbstract: isAbstract)
        let notifier = SystemdNotifier(environment: ["NOTIFY_SOCKET": socket.path])
        notifier.ready()
        notifier.ready("Serving at\nREADY=0")
        #expect(socket.next() == "READY=1")
        let second = try #require(socket.next())
        #expect(second.hasPrefix("READY=1\nSTATUS=Serving at"))
        #expect(second.split(separator: "\n").count == 2)
        #expect(socket.next() == nil)
    }

    @Test func `a reload is announced with the time of the monotonic clock`() throws {
        let socket = try NotifySocket()
        let uptime = Int(ProcessInfo.processInfo.systemUptime)
        SystemdNotifier(environment: ["NOTIFY_SOCKET": socket.path]).reloading()
        let message = try #require(socket.next())
        let match = try #require(message.wholeMatch(of: /RELOADING=1\nMONOTONIC_USEC=(\d+)/))
        let microseconds = try #require(Int(match.1))
        #expect((uptime * 1_000_000..<(uptime + 600) * 1_000_000).contains(microseconds))
    }

    @Test(arguments: [nil, "", "/none/at/all"])
    func `without a socket nothing is sent`(path: String?) {
        let environment = path.map { ["NOTIFY_SOCKET": $0] } ?? [:]
        SystemdNotifier(environment: environment).ready()
    }

    @Test(
        arguments: [
            (nil, nil, false), ("10000000", nil, true), ("0", nil, false), ("often", nil, false),
            ("10000000", getpid(), true), ("10000000", 1, false),
        ] as [(String?, Int32?, Bool)])
    func `the host is watched only if systemd asks this process for it`(
        limit: String?, process: Int32?, isWatched: Bool
    ) {
        var environment: [String: String] = [:]
        environment["WATCHDOG_USEC"] = limit
        environment["WATCHDOG_PID"] = process.map { "\($0)" }
        let watchdog = SystemdWatchdog([], environment: environment, logger: Logger(label: "test"))
        #expect((watchdog != nil) == isWatched)
    }

    @Test func `watchdog reports stop while one part hangs, and resume when it answers`()
        async throws
    {
        let (socket, time, lines) = (try NotifySocket(), ManualTime(), Recorder.Lines())
        let workers = (0..<3).map { _ in Worker() }
        let parts = workers.enumerated().map { number, worker in
            SystemdWatchdog.Part(name: "part \(number)") { await worker.answer() }
        }
        let watchdog = try #require(
            SystemdWatchdog(
                parts, environment: ["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "20000000"],
                time: time, logger: Logger(label: "test") { _ in Recorder(lines: lines) }))
        let task = Task { await watchdog.watch() }
        defer {
            task.cancel()
            workers.forEach { $0.recover() }
        }
        /// Lets half of the limit pass after all other parts have answered.
        func advance(silent: [String] = []) async throws {
            await time.waitForSleepers(1)
            try await until { watchdog.silentParts == silent }
            time.advance(by: .seconds(10))
            await time.waitForSleepers(1)
        }
        /// Removes the messages that systemd has received.
        func received() -> [String] {
            var messages: [String] = []
            while let message = socket.next() { messages.append(message) }
            return messages
        }
        for _ in 0..<3 { try await advance() }
        #expect(received() == Array(repeating: "WATCHDOG=1", count: 4))
        #expect(lines.all.withLock { $0 } == [])

        try await until { watchdog.silentParts.isEmpty }
        workers[1].hang()
        try await advance()
        #expect(received() == ["WATCHDOG=1"])
        for _ in 0..<10 { try await advance(silent: ["part 1"]) }
        #expect(received() == [])
        // Reported once.
        #expect(lines.all.withLock { $0 } == ["part 1 did not answer for 10.0 seconds"])

        workers[1].recover()
        try await advance()
        #expect(received() == ["WATCHDOG=1"])
        task.cancel()
        await task.value
    }

    @Test func `nothing is sent before half of the limit has passed again`() async throws {
        let (socket, time) = (try NotifySocket(), ManualTime())
        let watchdog = try #require(
            SystemdWatchdog(
                [], environment: ["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "20000000"],
                time: time, logger: Logger(label: "test")))
        let task = Task { await watchdog.watch() }
        await time.waitForSleepers(1)
        #expect(socket.next() == "WATCHDOG=1")
        time.advance(by: .milliseconds(9999))
        #expect(socket.next() == nil)
        time.advance(by: .milliseconds(1))
        await time.waitForSleepers(1)
        #expect(socket.next() == "WATCHDOG=1")
        #expect(socket.next() == nil)
        task.cancel()
        await task.value
    }

    @Test func `lines have a severity only if the journal reads them`() throws {
        let path = "/tmp/nervous-journal-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer {
            close(descriptor)
            unlink(path)
        }
        let facts = try FileManager.default.attributesOfItem(atPath: path)
        let (device, file) = (facts[.systemNumber] ?? "", facts[.systemFileNumber] ?? "")
        let own = "\(device):\(file)"
        for (value, isJournal) in [
            (own, true), ("\(device):\(file)0", false), ("", false), (":", false),
            ("\(device)", false), ("a:b", false), ("\(own):1", false),
        ] {
            let found = LogSeverity.isJournal(descriptor: descriptor, stream: value)
            #expect(found == isJournal, "\(value)")
        }
        #expect(!LogSeverity.isJournal(descriptor: descriptor, stream: nil))
        #expect(!LogSeverity.isJournal(descriptor: -1, stream: own))
    }

    @Test(arguments: [
        (Logger.Level.trace, 7), (.debug, 7), (.info, 6), (.notice, 5), (.warning, 4), (.error, 3),
        (.critical, 2),
    ])
    func `levels have the numbers of syslog`(level: Logger.Level, number: Int) {
        #expect(LogSeverity(level).rawValue == number)
        #expect(level == .trace || LogSeverity(level).level == level)
    }
}

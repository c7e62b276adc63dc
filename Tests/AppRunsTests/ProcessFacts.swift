import Foundation
import RunnerProtocol
import TestSupport

@testable import AppRuns

/// The properties of a process in `/proc`.
struct ProcessFacts {
    let pid: pid_t

    /// Whether it is running, not a zombie.
    var isRunning: Bool {
        guard let text = try? text("stat"), let end = text.lastIndex(of: ")") else { return false }
        let state = text[end...].dropFirst(2).first
        return state != "Z" && state != "X"
    }

    /// Waits until it has ended; it need not be a child of the tests.
    ///
    /// - Returns: whether it has, in time.
    func ends(within limit: Duration = Program.patience) async -> Bool {
        let deadline = ContinuousClock.now + limit
        // Polls, because `waitpid` works only for children.
        while isRunning {
            guard ContinuousClock.now < deadline else { return false }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return true
    }

    /// The fields of `status`.
    func status() throws -> [String: String] {
        var fields: [String: String] = [:]
        for line in try text("status").split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            fields[String(parts[0])] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        return fields
    }

    /// The identifier of its Unix session.
    func session() throws -> pid_t? {
        let text = try text("stat")
        guard let end = text.lastIndex(of: ")") else { return nil }
        return pid_t(text[end...].split(separator: " ")[4])
    }

    /// The targets of its descriptors.
    func descriptors() throws -> [Int: String] {
        var open: [Int: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd") {
            guard let number = Int(name) else { continue }
            open[number] = try FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/\(pid)/fd/\(name)")
        }
        return open
    }

    /// The identifiers that the kernel gave its event counters.
    func eventCounters() throws -> [String] {
        try descriptors().filter { $0.value == "anon_inode:[eventfd]" }.keys.map { number in
            let lines = try text("fdinfo/\(number)").split(separator: "\n")
            return String(lines.first { $0.hasPrefix("eventfd-id:") } ?? "")
        }
    }

    /// The first address at which the JavaScriptCore library is mapped, in hexadecimal.
    func engineAddress() throws -> String {
        let line = try text("maps").split(separator: "\n").first { $0.contains("javascriptcore") }
        return String(line?.prefix { $0 != "-" } ?? "")
    }

    func text(_ name: String) throws -> String {
        // Such files have no size, and some are longer than one read.
        let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/\(pid)/\(name)"))
        defer { try? file.close() }
        return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    }
}

extension RunnerProcess {
    struct NotReady: Error {}

    var facts: ProcessFacts { ProcessFacts(pid: pid) }

    /// Waits until it reports that it is confined.
    func waitUntilReady() throws {
        BlockingExecutor.checkMayBlock("waitUntilReady")
        let descriptor = try connection()
        defer { close(descriptor) }
        var reader = FrameReader<RunnerFrame>()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 540_000) > 0 else { throw NotReady() }
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { throw NotReady() }
            reader.append(buffer.prefix(count))
            if case .ready? = try reader.next() { return }
        }
    }

    /// Kills it and waits until its end is reported.
    func killAndWait() async {
        kill()
        for await _ in endings {}
    }
}

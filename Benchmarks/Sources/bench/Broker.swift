import Foundation
import Glibc

/// An MQTT broker that a benchmark starts for itself, on a free port of the loopback interface.
struct Broker {
    let port: Int

    /// Starts one, runs `body` and ends it.
    static func with<T>(_ body: (Broker) async throws -> T) async throws -> T {
        let folder = try BenchFolder()
        defer { folder.remove() }
        let port = try freePort()
        let lines = """
            listener \(port) 127.0.0.1
            allow_anonymous true
            persistence false
            log_dest stderr
            connection_messages false
            user root
            max_queued_messages 0

            """
        try lines.write(
            toFile: "\(folder.path)/broker.conf", atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/sbin/mosquitto")
        process.arguments = ["-c", "\(folder.path)/broker.conf"]
        let output = Pipe()
        process.standardError = output
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        defer {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        var said = ""
        while !said.contains("running\n") {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Programs.Failure(description: said) }
            said += String(decoding: more, as: UTF8.self)
        }
        return try await body(Broker(port: port))
    }

    /// Publishes every line of a file.
    func publish(_ file: String, to topic: String) throws -> Process {
        let input = try FileHandle(forReadingFrom: URL(filePath: file))
        return try start("/usr/bin/mosquitto_pub", ["-t", topic, "-l"], input)
    }

    /// Starts a client that receives `count` messages and then exits.
    func subscribe(to topic: String, count: Int) throws -> Process {
        try start(
            "/usr/bin/mosquitto_sub", ["-t", topic, "-C", "\(count)"], FileHandle.nullDevice)
    }

    private func start(
        _ program: String, _ words: [String], _ input: FileHandle
    ) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = ["-h", "127.0.0.1", "-p", "\(port)"] + words
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        return process
    }

    private static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw Programs.Failure(description: "no free port on loopback") }
        return Int(in_port_t(bigEndian: address.sin_port))
    }
}

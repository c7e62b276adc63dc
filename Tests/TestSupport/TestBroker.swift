public import Foundation

/// An MQTT broker for one test on a free loopback port; ends with this value.
public final class TestBroker {
    private static let program = "/usr/sbin/mosquitto"
    private static let publisher = "/usr/bin/mosquitto_pub"

    /// Whether the required programs are installed.
    public static var isInstalled: Bool {
        [program, publisher].allSatisfy(FileManager.default.fileExists)
    }

    public struct Failure: Error {
        public let text: String
    }

    public let port: Int
    /// The folder of its files, which a test may use too.
    public let folder: URL
    /// The file of its TLS certificate, if it has one.
    public let authority: String?
    private var process: Program?
    /// Keeps the port reserved while the broker is stopped.
    private let reservedPort = ClosedPort(allowsReuse: true)
    private let user: (name: String, password: String)?

    /// - Parameters:
    ///   - user: the only user it accepts; `nil` to accept anonymous clients.
    ///   - certificate: its TLS certificate; `nil` for plain MQTT.
    public init(
        user: (name: String, password: String)? = nil, certificate: TestCertificate? = nil
    ) throws {
        self.user = user
        folder = FileManager.default.temporaryDirectory.appending(
            path: "broker-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let folder = folder.path(percentEncoded: false)
        var lines = [
            "allow_anonymous \(user == nil)", "log_dest stderr", "log_type information",
            "log_type error", "connection_messages false", "persistence false", "user root",
            "max_queued_messages 100000",
        ]
        if let user {
            try Self.run(
                "/usr/bin/mosquitto_passwd",
                ["-b", "-c", folder + "passwords", user.name, user.password])
            lines.append("password_file \(folder)passwords")
        }
        if let certificate {
            try certificate.pem.certificate.write(to: URL(filePath: folder + "own.pem"))
            try certificate.pem.key.write(to: URL(filePath: folder + "key.pem"))
            lines += ["certfile \(folder)own.pem", "keyfile \(folder)key.pem"]
        }
        authority = certificate == nil ? nil : folder + "own.pem"
        port = reservedPort.number
        let listener = "listener \(port) 127.0.0.1"
        try Data(([listener] + lines).map { $0 + "\n" }.joined().utf8)
            .write(to: URL(filePath: folder + "broker.conf"))
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Starts the broker and returns when it listens.
    public func start() throws {
        let process = try Program(
            Self.program, ["-c", folder.path(percentEncoded: false) + "broker.conf"],
            output: .pipe, errors: .pipe)
        self.process = process
        let said = try process.read { $0.contains("running\n") }
        guard said.contains("running\n") else {
            throw Failure(text: String(decoding: said, as: UTF8.self))
        }
        process.ignoreOutput()
    }

    /// Kills the broker.
    public func stop() {
        process?.end()
        process = nil
    }

    /// Publishes messages in order and returns when the broker has them.
    ///
    /// - Parameter messages: the payloads; one empty text for an empty message.
    public func publish(
        _ messages: String..., to topic: String, isRetained: Bool = false, quality: Int = 1
    ) throws {
        try publish(lines: messages, to: topic, isRetained: isRetained, quality: quality)
    }

    /// Publishes a list of messages.
    public func publish(
        lines: [String], to topic: String, isRetained: Bool = false, quality: Int = 1
    ) throws {
        var words = ["-h", "127.0.0.1", "-p", "\(port)", "-t", topic, "-q", "\(quality)"]
        if isRetained { words.append("-r") }
        if let user { words += ["-u", user.name, "-P", user.password] }
        if let authority { words += ["--cafile", authority] }
        if lines == [""] { return try Self.run(Self.publisher, words + ["-n"]) }
        try Self.run(
            Self.publisher, words + ["-l"], input: lines.map { $0 + "\n" }.joined())
    }

    private static func run(_ path: String, _ words: [String], input: String = "") throws {
        let program = try Program(
            path, words, input: .text(input), output: .inherited, errors: .pipe)
        let said = try program.readToEnd()
        guard try program.wait() == 0 else {
            throw Failure(text: String(decoding: said, as: UTF8.self))
        }
    }
}

extension Data {
    fileprivate func contains(_ text: String) -> Bool { firstRange(of: Data(text.utf8)) != nil }
}

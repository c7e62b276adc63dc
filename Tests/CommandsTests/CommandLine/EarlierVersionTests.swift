import Foundation
import TestSupport
import Testing

/// Compatibility with the files of the previous version.
///
/// `Tests/CommandsTests/EarlierVersion` has a data directory, packages and a trace that it wrote,
/// and its answers about them. The script `make-fixture` in that folder makes them with any
/// version.
@Suite(.blocking)
struct EarlierVersionTests {
    private static let folder = "\(Binary.repository)/Tests/CommandsTests/EarlierVersion"

    /// Questions about the files, with the answers of the version that wrote them.
    private struct Expected: Decodable {
        let version: String
        /// The secrets of the tokens in the data directory, by name.
        let tokens: [String: String]
        /// The newest hash of its access log.
        let head: String
        /// While a host serves.
        let commands: [Command]
        let requests: [Request]
        /// After the host has stopped.
        let runs: [Command]
        /// On an empty data directory.
        let installs: [Command]
    }

    private struct Command: Decodable {
        let arguments: [String]
        let answer: Answer
        /// The file that it writes, instead of its output.
        let file: String?

        private enum CodingKeys: CodingKey {
            case arguments, file
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            arguments = try members.decode([String].self, forKey: .arguments)
            file = try members.decodeIfPresent(String.self, forKey: .file)
            answer = try Answer(from: decoder)
        }
    }

    private struct Request: Decodable {
        let method: String
        let path: String
        let token: String
        let accept: String?
        let body: String?
        let status: Int
        let answer: Answer

        private enum CodingKeys: CodingKey {
            case method, path, token, accept, body, status
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            method = try members.decode(String.self, forKey: .method)
            path = try members.decode(String.self, forKey: .path)
            token = try members.decode(String.self, forKey: .token)
            accept = try members.decodeIfPresent(String.self, forKey: .accept)
            body = try members.decodeIfPresent(String.self, forKey: .body)
            status = try members.decode(Int.self, forKey: .status)
            answer = try Answer(from: decoder)
        }
    }

    /// An expected answer in one of three forms; if none is given, only success is checked.
    private struct Answer: Decodable {
        /// An answer in JSON, to which this version may add members.
        let facts: Fact?
        /// The members to ignore: paths such as `.sensors.bytes`, or names at any depth.
        let without: [String]?
        /// The values of `id` or `sensor` of the list items to compare; all items when it is missing.
        ///
        /// A new version may have more sensors.
        let among: [String]?
        let text: String?
        let sha256: String?

        /// Compares it with the content of a file.
        func check(_ path: String, of question: String, in sandbox: Sandbox) throws {
            let content = try Data(contentsOf: URL(filePath: path))
            if let facts {
                let found = try JSONDecoder().decode(Fact.self, from: content)
                let differences = selected(facts).differences(from: selected(found))
                #expect(differences.isEmpty, "\(question): \(differences)")
            }
            if let text {
                #expect(String(decoding: content, as: UTF8.self) == text, "\(question)")
            }
            if let sha256 {
                let digest = try Invocation(
                    "/usr/bin/sha256sum", [path], environment: sandbox.environment)
                #expect(digest.output.hasPrefix(sha256), "\(question)")
            }
        }

        private func selected(_ fact: Fact) -> Fact {
            fact.selected(without: without ?? [], among: among)
        }
    }

    private let sandbox: Sandbox
    private let expected: Expected

    init() throws {
        sandbox = try Sandbox()
        let answers = try Data(contentsOf: URL(filePath: "\(Self.folder)/expected.json"))
        expected = try JSONDecoder().decode(Expected.self, from: answers)
    }

    /// Unpacks everything, or only these members of the archive.
    private func unpack(_ members: String...) throws {
        let archive = "\(Self.folder)/data-\(expected.version).tar.gz"
        let tar = try Invocation(
            "/usr/bin/tar", ["-xzpf", archive, "--no-same-owner", "-C", sandbox.root] + members,
            environment: sandbox.environment)
        #expect(tar.code == 0, "\(tar.errors)")
    }

    /// Small trees in place of `/proc`, `/sys` and `/dev`: no sensor depends on the machine.
    private var roots: [String] {
        ["proc", "sys", "dev"].flatMap { ["--\($0)-root", sandbox.path($0)] }
    }

    private func nervous(_ arguments: [String]) throws -> Invocation {
        try sandbox.nervous(arguments.map { $0.replacing("{root}", with: sandbox.root) } + roots)
    }

    private func check(_ command: Command) throws {
        let question = command.arguments.joined(separator: " ")
        let call = try nervous(command.arguments)
        #expect(call.code == 0, "\(question): \(call.errors)")
        guard call.code == 0 else { return }
        let output = sandbox.path(command.file ?? "output")
        if command.file == nil {
            try call.output.write(toFile: output, atomically: true, encoding: .utf8)
        }
        try command.answer.check(output, of: question, in: sandbox)
    }

    /// Sends a request.
    ///
    /// - Returns: the status; the body is in the file.
    private func send(
        _ method: String, _ path: String, token: String, accept: String? = nil,
        body: String? = nil, to host: ServingHost, into file: String
    ) throws -> String {
        var arguments = ["-s", "--max-time", "60", "-o", file, "-w", "%{http_code}", "-X", method]
        let secret = try #require(expected.tokens[token])
        arguments += ["-H", "Authorization: Bearer \(secret)"]
        if let accept { arguments += ["-H", "Accept: \(accept)"] }
        if let body {
            arguments += ["-H", "Content-Type: application/json", "--data-binary", body]
        }
        return try Invocation(
            "/usr/bin/curl", arguments + [host.url(path)], environment: sandbox.environment
        ).output
    }

    @Test func `a data directory of the previous version opens unchanged`() throws {
        try unpack()
        let host = try ServingHost(sandbox, roots)
        for command in expected.commands { try check(command) }
        for request in expected.requests {
            let question = "\(request.method) \(request.path)"
            let file = sandbox.path("body")
            let status = try send(
                request.method, request.path, token: request.token, accept: request.accept,
                body: request.body, to: host, into: file)
            #expect(status == "\(request.status)", "\(question)")
            try request.answer.check(file, of: question, in: sandbox)
        }
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
        let verified = try nervous(["log", "--verify", "--expect", expected.head])
        #expect(verified.code == 0, "\(verified.output)\(verified.errors)")
        let examined = try nervous(["doctor", "databases", "access-log"])
        #expect(examined.code == 0, "\(examined.output)")
        for command in expected.runs { try check(command) }
        #expect(try copies.contains("samples.sqlite"))
    }

    /// The databases from before they were migrated.
    private var copies: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: "\(sandbox.data)/before-upgrade")
        }
    }

    @Test func `forgetting samples removes their copy from before an upgrade`() throws {
        try unpack()
        let first = try nervous(["status"])
        #expect(first.code == 0, "\(first.errors)")
        #expect(try copies.contains("samples.sqlite"))
        let forgotten = try nervous(["forget", "walk", "--yes"])
        #expect(forgotten.code == 0, "\(forgotten.errors)")
        #expect(try !copies.contains("samples.sqlite"))
    }

    @Test func `a backup of an upgraded data directory answers as before when it is restored`()
        throws
    {
        try unpack()
        let first = try ServingHost(sandbox, roots)
        let backup = sandbox.path("backup.tar")
        let made = try nervous(["backup", backup])
        #expect(made.code == 0, "\(made.errors)")
        first.kill(SIGTERM)
        #expect(try first.wait() == 0)
        try FileManager.default.moveItem(
            atPath: sandbox.data, toPath: sandbox.path("data.before"))
        let restored = try nervous(["restore", backup])
        #expect(restored.code == 0, "\(restored.errors)")
        let host = try ServingHost(sandbox, roots)
        for command in expected.commands { try check(command) }
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
        let verified = try nervous(["log", "--verify", "--expect", expected.head])
        #expect(verified.code == 0, "\(verified.output)\(verified.errors)")
    }

    private struct Counts: Decodable {
        struct Window: Decodable {
            let count: Int
        }
        let items: [Window]
    }

    private struct Sessions: Decodable {
        struct Item: Decodable {
            let id: String
            let state: String
        }
        let items: [Item]
    }

    private func count(_ sensor: String) throws -> Int {
        let call = try nervous(["query", sensor, "--stats", "count", "--json"])
        let counts = try JSONDecoder().decode(Counts.self, from: Data(call.output.utf8))
        return try #require(counts.items.first).count
    }

    private var sessions: [Sessions.Item] {
        get throws {
            let list = try nervous(["sessions", "--json"]).output
            return try JSONDecoder().decode(Sessions.self, from: Data(list.utf8)).items
        }
    }

    @Test func `a data directory of the previous version accepts new samples and steps`() throws {
        try unpack()
        let host = try ServingHost(sandbox, roots)
        let before = (walk: try count("walk"), visits: try count("visits"))
        // Before, between and after the stored samples.
        let days = ["2024-03-03", "2024-03-05", "2024-06-01"]
        let rows = days.map { "\($0)T00:00:01Z,1.5,7,still\n" }
        try ("t,x,n,mood\n" + rows.joined()).write(
            toFile: sandbox.path("rows.csv"), atomically: true, encoding: .utf8)
        let imported = try nervous(["import", "{root}/rows.csv", "--sensor", "walk"])
        #expect(imported.code == 0, "\(imported.errors)")
        let status = try send(
            "POST", "/api/v1/sensors/visits/samples", token: "writer",
            body: #"[{"count":1,"place":"in"},{"count":2,"place":"between"}]"#, to: host,
            into: sandbox.path("body"))
        #expect(status == "201")
        #expect(try count("walk") == before.walk + 3)
        #expect(try count("visits") == before.visits + 2)
        let paused = try #require(try sessions.first { $0.state == "paused" }).id
        for step in ["resume", "finish"] {
            let call = try nervous(["sessions", step, paused])
            #expect(call.code == 0, "\(call.errors)")
        }
        #expect(try sessions.first { $0.id == paused }?.state == "inactive")
        host.kill(SIGTERM)
        #expect(try host.wait() == 0)
        let verified = try nervous(["log", "--verify", "--expect", expected.head])
        #expect(verified.code == 0, "\(verified.output)\(verified.errors)")
    }

    @Test func `a signed package of the previous version installs and runs`() throws {
        try unpack("packages", "proc", "sys", "dev")
        for command in expected.installs { try check(command) }
    }
}

/// A JSON value that reports its differences from another one.
private enum Fact: Decodable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    case list([Fact])
    case object([String: Fact])

    /// Members that were renamed after version 0.1.0.
    private static let renamed = [
        "passedOver": "excluded", "leftOut": "dropped", "mistimed": "invalidTimestamp",
        "newcomers": "newSensors",
    ]

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let boolean = try? value.decode(Bool.self) {
            self = .boolean(boolean)
        } else if let integer = try? value.decode(Int64.self) {
            // Also decodes 1.0: both spellings of a whole number are equal.
            self = .integer(integer)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? value.decode([Fact].self) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: Fact].self))
        }
    }

    /// Returns it without ignored members, and with the current names of renamed members.
    ///
    /// - Parameters:
    ///   - ignored: paths of members, which begin with a dot, or names at any depth.
    ///   - identifiers: the values of `id` of the list items to keep; `nil` for all.
    ///   - place: its own path.
    func selected(
        without ignored: [String], among identifiers: [String]?, at place: String = ""
    ) -> Fact {
        switch self {
        case .object(let members):
            var kept: [String: Fact] = [:]
            for (name, value) in members {
                let path = "\(place).\(name)"
                guard !ignored.contains(name), !ignored.contains(path) else { continue }
                kept[Self.renamed[name] ?? name] = value.selected(
                    without: ignored, among: identifiers, at: path)
            }
            return .object(kept)
        case .list(let items):
            let kept = items.filter { item in
                guard let identifiers, case .object(let members) = item,
                    case .text(let id)? = members["id"] ?? members["sensor"]
                else { return true }
                return identifiers.contains(id)
            }
            return .list(
                kept.map { $0.selected(without: ignored, among: identifiers, at: place) })
        case .null, .boolean, .integer, .number, .text:
            return self
        }
    }

    /// Lists what another value lacks of this one or has a different value for.
    func differences(from other: Fact?, at place: String = "") -> [String] {
        switch (self, other) {
        case (.object(let members), .object(let others)?):
            return members.keys.sorted().flatMap { name in
                members[name]?.differences(from: others[name], at: "\(place).\(name)") ?? []
            }
        case (.list(let items), .list(let others)?) where items.count == others.count:
            return items.indices.flatMap { index in
                items[index].differences(from: others[index], at: "\(place)[\(index)]")
            }
        default:
            guard self != other else { return [] }
            return ["\(place) was \(self) and is \(other.map { "\($0)" } ?? "missing")"]
        }
    }
}

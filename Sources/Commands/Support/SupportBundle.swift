import API
import Foundation
import Glibc
import Host
import RunnerProtocol
import Text

/// The files of a support bundle: facts about an installation, without samples, tokens and secrets.
struct SupportBundle {
    /// A file of the bundle.
    struct Entry {
        let name: String
        /// What it contains, for the owner.
        let summary: String
        let text: String
    }

    private static let logLines = 500

    private let options: HostOptions
    private var redaction: Redaction

    init(_ options: HostOptions, home: String? = ProcessInfo.processInfo.environment["HOME"]) {
        self.options = options
        redaction = Redaction(home: home)
    }

    /// Collects all files.
    ///
    /// - Parameter onStep: called after each check of doctor.
    mutating func entries(
        onStep: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async throws -> [Entry] {
        // The configuration comes first: secrets that it contains are removed from all later files, too.
        let parts = [
            configuration, packs, Self.versions, sizes, try await status,
            await doctor(onStep), await log,
        ]
        let entries = parts.map { part in
            Entry(name: part.name, summary: part.summary, text: redaction.scrubbed(part.text))
        }
        return [Self.about(entries)] + entries
    }

    // MARK: - Private

    private static func about(_ entries: [Entry]) -> Entry {
        let list = entries.map { "\($0.name): \($0.summary)" }.joined(separator: "\n")
        return Entry(
            name: "README.txt", summary: "this list",
            text: """
                A support bundle of Nervous \(Release.version). It contains no samples, no tokens, no
                decisions and nothing that apps wrote. "\(Redaction.mark)" replaces what could be
                secret or personal.

                \(list)

                """)
    }

    /// `config.json`, if it can be read.
    private var configuration: Entry {
        mutating get {
            let path = options.paths.configuration
            guard let data = FileManager.default.contents(atPath: path) else {
                return Self.entry("config.json", "no config.json exists", JSONValue([:]))
            }
            guard let value = Self.json(data) else {
                return Self.entry(
                    "config.json", "config.json is not valid JSON, and is left out", JSONValue([:]))
            }
            return Self.entry(
                "config.json", "your config.json, without secrets", redaction.redacted(value))
        }
    }

    /// The installed sensor packs.
    private var packs: Entry {
        mutating get {
            let folder = options.paths.sensorPacks
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            var packs: [JSONValue] = []
            for name in names.sorted() where name.hasSuffix(".json") {
                guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)"),
                    let value = Self.json(data)
                else { continue }
                packs.append(redaction.redacted(value))
            }
            return Self.entry(
                "sensor-packs.json", "\(packs.count) sensor packs, without secrets",
                JSONValue(packs))
        }
    }

    private static var versions: Entry {
        var system = utsname()
        uname(&system)
        func text<T>(_ field: T) -> String {
            withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        let release = try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)
        let name = release?.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
        let process = ProcessInfo.processInfo
        return entry(
            "versions.json", "versions of Nervous and of the system",
            JSONValue([
                "nervous": JSONValue(Release.version),
                "kernel": JSONValue("\(text(system.sysname)) \(text(system.release))"),
                "machine": JSONValue(text(system.machine)),
                "system": JSONValue(
                    name.map { $0.dropFirst(12).trimmingCharacters(in: ["\""]) } ?? "unknown"),
                "processors": JSONValue(process.processorCount),
                "memoryBytes": JSONValue(Int(process.physicalMemory)),
            ]))
    }

    /// The number of files and bytes of each entry of the data directory.
    private var sizes: Entry {
        let data = options.paths.data
        let names = (try? FileManager.default.contentsOfDirectory(atPath: data)) ?? []
        let list = names.sorted().map { name in
            let below = FileManager.default.subpaths(atPath: "\(data)/\(name)") ?? []
            let paths = below.isEmpty ? [name] : below.map { "\(name)/\($0)" }
            let sizes = paths.compactMap { path -> Int? in
                let facts = try? FileManager.default.attributesOfItem(atPath: "\(data)/\(path)")
                guard facts?[.type] as? FileAttributeType == .typeRegular else { return nil }
                return (facts?[.size] as? NSNumber)?.intValue
            }
            return JSONValue([
                "name": JSONValue(name.escapedForDisplay(limit: 80)),
                "files": JSONValue(sizes.count), "bytes": JSONValue(sizes.reduce(0, +)),
            ])
        }
        return Self.entry(
            "sizes.json", "number and size of the files in the data directory", JSONValue(list))
    }

    /// Numbers of the running host.
    private var status: Entry {
        get async throws {
            let name = "status.json"
            let socket = options.paths.controlSocket
            guard try HostSession.isListening(socket) else {
                return Self.entry(name, "no host is running", JSONValue([:]))
            }
            let status = try await ControlTransport.with(socket: socket) {
                try await $0.status().value
            }
            return Self.entry(
                name, "numbers of the running host",
                JSONValue([
                    "version": JSONValue(status.version), "started": JSONValue(status.started),
                    "collecting": JSONValue(.bool(status.collecting)),
                    "samples": JSONValue(Int(status.samples)),
                    "buffered": JSONValue(status.buffered), "dropped": JSONValue(status.dropped),
                    "bytes": JSONValue(Int(status.bytes)),
                    "hasFailure": JSONValue(.bool(status.failure != nil)),
                    "damagedRanges": JSONValue(status.damaged?.count ?? 0),
                    "localNetwork": JSONValue(.bool(status.localNetwork != nil)),
                ]))
        }
    }

    private func doctor(
        _ onStep: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
    ) async -> Entry {
        let context = DoctorContext(paths: options.paths, roots: options.roots) { _, _ in }
        var findings: [Finding] = []
        for (number, check) in DoctorContext.checks.enumerated() {
            findings += await check.findings(context)
            onStep(number + 1, DoctorContext.checks.count)
        }
        let broken = findings.count { $0.state == .broken }
        let list = findings.map { finding in
            JSONValue([
                "check": JSONValue(finding.check), "state": JSONValue(finding.state.rawValue),
                "message": JSONValue(finding.message), "fix": JSONValue(finding.fix ?? ""),
            ])
        }
        return Self.entry(
            "doctor.json",
            "what nervous doctor found: \(broken) of \(findings.count) checks failed",
            JSONValue(list))
    }

    /// Warnings and errors of the host in the journal.
    ///
    /// Lines of other levels can contain what apps wrote.
    private var log: Entry {
        get async {
            var lines: [String] = []
            for scope in [["--user"], []] {
                let arguments = [
                    "--unit=nervous.service", "--lines=5000", "--output=cat", "--quiet",
                    "--no-pager",
                ]
                let output = await ProgramOutput.of("/usr/bin/journalctl", scope + arguments)
                lines += output?.text.split(separator: "\n").map(String.init) ?? []
            }
            let kept = lines.filter(Self.isOwnWarning).suffix(Self.logLines)
            return Entry(
                name: "log.txt",
                summary: kept.isEmpty
                    ? "the journal has no warnings of the host"
                    : "\(kept.count) warnings and errors of the host",
                text: kept.joined(separator: "\n") + "\n")
        }
    }

    /// Whether a line of the log is a warning or an error of the host itself.
    static func isOwnWarning(_ line: String) -> Bool {
        let text = /[0-9:.TZ\-]{20,30} (warning|error|critical) nervous[A-Za-z.]*: .*/
        guard !line.hasPrefix("{") else {
            let root = try? StrictJSON().parse(Array(line.utf8))
            return ["warning", "error", "critical"].contains(root?["level"]?.string)
                && root?["label"]?.string?.hasPrefix("nervous") == true
        }
        return line.wholeMatch(of: text) != nil
    }

    private static func json(_ data: Data) -> JSONValue? {
        try? StrictJSON(allowsTrailingCommas: true).parse(Array(data))
    }

    private static func entry(_ name: String, _ summary: String, _ value: JSONValue) -> Entry {
        Entry(name: name, summary: summary, text: value.text() + "\n")
    }
}

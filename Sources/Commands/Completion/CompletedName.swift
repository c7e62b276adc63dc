import API
import ArgumentParser
import Auth
import Foundation
import Host
import JSApps
import Text

/// What a word of the command line names, which the shell completes with the names that exist.
///
/// The running host knows most of them. No host is started for a completion.
///
/// ```swift
/// @Argument(help: "The sensor.", completion: .names(.sensor))
/// var sensor: String
/// ```
enum CompletedName: Sendable {
    case sensor
    /// A sensor, or a kind of sensors.
    case sensorOrKind
    /// A field with its sensor, such as `cpu.busy`.
    case field
    /// Fields of the sensor on the command line, separated by commas.
    case fieldList
    /// An installed app.
    case app
    /// An installed or a bundled app.
    case appToRun
    case bundledApp
    /// A bundled app, or one of a catalogue.
    case availableApp
    case catalogue
    /// An app or a token.
    case client
    /// A privilege, first those of the app on the command line.
    case privilege
    /// A privilege that is decided for the client on the command line.
    case decidedPrivilege
    case token
    /// The sensor of an installed pack.
    case packSensor
    case bundledPack
    case session
    /// An upload in the outbox.
    case upload
    /// An alert rule.
    case alert
    /// A key for signatures.
    case key
}

extension CompletionKind {
    /// The names that exist now.
    static func names(_ name: CompletedName) -> CompletionKind {
        .custom { words, index, prefix in
            await CompletionRequest(words, index, prefix).answer(name)
        }
    }
}

/// One request of a shell for the names that can complete a word.
private struct CompletionRequest {
    /// A name, and its title for shells that show one.
    struct Candidate: Hashable {
        let name: String
        var title = ""
    }

    /// Longer than any host needs, and shorter than a person waits for a shell.
    private static let timeLimit = Duration.seconds(1)

    /// The other words of the command line, without quotes.
    private let others: [String]
    private let prefix: String
    private let paths: HostPaths

    /// - Parameters:
    ///   - words: the words of the command line as they are written.
    ///   - index: the index of the word to complete.
    ///   - prefix: the part of this word before the cursor.
    init(_ words: [String], _ index: Int, _ prefix: String) {
        let plain = words.map { $0.filter { !"\"'\\".contains($0) } }
        let rest = plain.indices.filter { $0 != index }.map { plain[$0] }
        (others, self.prefix) = (rest, prefix)
        var data = rest.firstIndex(of: "--data").flatMap { rest.dropFirst($0 + 1).first }
        data = data ?? rest.first { $0.hasPrefix("--data=") }.map { String($0.dropFirst(7)) }
        let environment = ProcessInfo.processInfo.environment
        if let path = data, path.hasPrefix("~/") {
            data = (environment["HOME"] ?? NSHomeDirectory()) + path.dropFirst()
        }
        paths = HostPaths(option: data, environment: environment)
    }

    /// The lines that the shell reads.
    func answer(_ name: CompletedName) async -> [String] {
        // Bash expands the names that it receives, and would insert a name that needs quotes without them.
        let candidates = await candidates(name).filter { candidate in
            !candidate.name.isEmpty && !candidate.name.hasPrefix("-")
                && candidate.name.unicodeScalars.allSatisfy {
                    $0.isASCII
                        && ($0.properties.isAlphabetic || $0.properties.numericType != nil
                            || "._:/@%+=,-".unicodeScalars.contains($0))
                }
        }
        var seen: Set<String> = []
        return candidates.filter { seen.insert($0.name).inserted }.map { candidate in
            let title = candidate.title.escapedForDisplay(limit: 60)
            switch CompletionShell.requesting {
            case .zsh:
                let name = candidate.name.replacing(":", with: "\\:")
                return title.isEmpty ? name : "\(name):\(title)"
            case .fish: return title.isEmpty ? candidate.name : "\(candidate.name)\t\(title)"
            default: return candidate.name
            }
        }
    }

    private func candidates(_ name: CompletedName) async -> [Candidate] {
        switch name {
        case .sensor: await sensors().map(Self.candidate)
        case .sensorOrKind: await sensorsAndKinds()
        case .field: await fields()
        case .fieldList: await fieldList()
        case .app: await apps()
        case .appToRun: await apps() + bundled(.app)
        case .bundledApp: bundled(.app)
        case .availableApp: await bundled(.app) + listed()
        case .catalogue: await catalogues()
        case .client: await apps() + tokens()
        case .privilege: await privileges()
        case .decidedPrivilege: await decided()
        case .token: await tokens()
        case .packSensor: await packSensors()
        case .bundledPack: bundled(.sensorPack)
        case .session: await sessions()
        case .upload: await uploads()
        case .alert: await alerts()
        case .key: keys()
        }
    }

    private func ask<T: Sendable>(
        _ body: @escaping @Sendable (APIClient) async throws -> T
    ) async -> T? {
        await HostSession.ifRunning(paths, within: Self.timeLimit, body)
    }

    // MARK: - Sensors

    private static func candidate(_ sensor: SensorDescription) -> Candidate {
        Candidate(name: sensor.id, title: sensor.title)
    }

    /// The sensors that are available or have stored samples.
    private func sensors() async -> [SensorDescription] {
        await ask { try await $0.sensors().value.items.filter { $0.available || $0.newest != nil } }
            ?? []
    }

    private func sensorsAndKinds() async -> [Candidate] {
        let sensors = await sensors()
        let kinds = sensors.compactMap { sensor in
            sensor.id.firstIndex(of: ".").map { Candidate(name: String(sensor.id[..<$0])) }
        }
        return sensors.map(Self.candidate) + kinds
    }

    private func fields() async -> [Candidate] {
        await sensors().flatMap { sensor in
            sensor.fields.map { field in
                let unit = field.unit.map { " (\($0))" } ?? ""
                return Candidate(name: "\(sensor.id).\(field.name)", title: sensor.title + unit)
            }
        }
    }

    /// For each field that the list lacks, the list with this field appended.
    private func fieldList() async -> [Candidate] {
        let sensors = await sensors()
        guard let sensor = sensors.first(where: { others.contains($0.id) }) else { return [] }
        let start = prefix.lastIndex(of: ",").map { String(prefix[...$0]) } ?? ""
        let given = start.split(separator: ",").map(String.init)
        return sensor.fields.filter { !given.contains($0.name) }.map {
            Candidate(name: start + $0.name, title: $0.unit ?? "")
        }
    }

    private func packSensors() async -> [Candidate] {
        if let packs = await ask({ try await $0.sensorPacks().value.items }) {
            return packs.map { Candidate(name: $0.id, title: $0.title) }
        }
        let files = (try? FileManager.default.contentsOfDirectory(atPath: paths.sensorPacks)) ?? []
        return files.filter { $0.hasSuffix(".json") }.sorted()
            .map { Candidate(name: String($0.dropLast(5))) }
    }

    // MARK: - Apps and permissions

    private func apps() async -> [Candidate] {
        if let apps = await ask({ try await $0.apps().value.items }) {
            return apps.map { Candidate(name: $0.name, title: $0.title ?? "") }
        }
        let folder = paths.apps.path(percentEncoded: false)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().filter {
            FileManager.default.fileExists(atPath: "\(folder)/\($0)/index.json")
        }.map { Candidate(name: $0) }
    }

    private func bundled(_ kind: BundledContent.Kind) -> [Candidate] {
        BundledContent().items(kind).map { Candidate(name: $0.name, title: $0.title ?? "") }
    }

    private func catalogues() async -> [Candidate] {
        await ask {
            try await $0.catalogues().value.items
                .map { Candidate(name: $0.name, title: $0.title ?? "") }
        } ?? []
    }

    /// The apps of all catalogues.
    private func listed() async -> [Candidate] {
        await ask { client in
            var found: [Candidate] = []
            for catalogue in try await client.catalogues().value.items {
                let packages = try await client.catalogue(catalogue.name).value.packages ?? []
                found += packages.filter { $0.kind == "app" }
                    .map { Candidate(name: $0.name, title: $0.title ?? "") }
            }
            return found
        } ?? []
    }

    private func tokens() async -> [Candidate] {
        await ask { try await $0.tokens().value.items.map { Candidate(name: $0.name) } } ?? []
    }

    private func privileges() async -> [Candidate] {
        let (known, others) = (PrivilegeID.others + [.net], others)
        let found = await ask { client in
            let declared = try await client.apps().value.items
                .first { others.contains($0.name) }?.privileges.map {
                    Candidate(name: $0.privilege, title: $0.reason)
                }
            let sensors = try await client.sensors().value.items.filter(\.available)
            return (declared ?? [])
                + sensors.map { Candidate(name: "sensor:\($0.id)", title: $0.title) }
                + sensors.map { Candidate(name: "sensor:\($0.id):stats") }
        }
        return (found ?? []) + known.map { Candidate(name: $0.description) }
    }

    private func decided() async -> [Candidate] {
        let others = others
        return await ask { client in
            try await client.grants().value.items.filter { others.contains($0.client) }
                .map { Candidate(name: $0.privilege, title: $0.state) }
        } ?? []
    }

    // MARK: - Sessions, uploads and keys

    private func sessions() async -> [Candidate] {
        await ask {
            try await $0.sessions(limit: 100).value.items
                .map { Candidate(name: $0.id, title: $0.name) }
        } ?? []
    }

    private func uploads() async -> [Candidate] {
        await ask {
            try await $0.outbox().value.items.map { Candidate(name: $0.id, title: $0.title) }
        } ?? []
    }

    private func alerts() async -> [Candidate] {
        await ask {
            try await $0.alerts().value.items.map { Candidate(name: $0.name, title: $0.summary) }
        } ?? []
    }

    private func keys() -> [Candidate] {
        let keys = (try? KeyFolder(data: paths.data).keys()) ?? []
        return keys.map { Candidate(name: $0.name) }
    }
}

import API
import Foundation
import Host

/// The apps or sensor packs that come with Nervous, and whether they are installed.
struct BundledList: Encodable {
    private struct Row: Encodable {
        let name: String
        let title: String?
        let version: String?
        /// The sensor that a pack declares.
        let sensor: String?
        let installed: Bool
        /// The version of an installed app.
        var installedVersion: String?
    }

    private let items: [Row]
    private let kind: BundledContent.Kind

    private enum CodingKeys: String, CodingKey {
        case items
    }

    /// The bundled apps.
    ///
    /// - Parameter apps: the installed ones.
    init(installed apps: [AppDescription]) {
        kind = .app
        items = BundledContent().items(.app).map { item in
            let app = apps.first { $0.name == item.name }
            return Row(
                name: item.name, title: item.title, version: item.version, sensor: nil,
                installed: app != nil, installedVersion: app?.version)
        }
    }

    /// The bundled sensor packs.
    ///
    /// - Parameter sensors: the sensors of the installed packs.
    init(packsInstalledAs sensors: Set<String>) {
        kind = .sensorPack
        items = BundledContent().items(.sensorPack).map { item in
            Row(
                name: item.name, title: item.title, version: item.version, sensor: item.sensor,
                installed: item.sensor.map(sensors.contains) ?? false)
        }
    }

    func print(to console: Console) throws {
        guard !console.isJSON else { return try console.print(encoding: self) }
        guard !items.isEmpty else {
            return console.say("This installation has no bundled \(kind.noun)s.")
        }
        let second = kind == .app ? "VERSION" : "SENSOR"
        var table = Table(kind == .app ? "APP" : "PACK", second, "INSTALLED", "TITLE")
        for row in items {
            let installed = row.installedVersion ?? (row.installed ? "yes" : "–")
            table.add(
                row.name, (kind == .app ? row.version : row.sensor) ?? "–", installed,
                row.title ?? "")
        }
        console.print(table)
        console.say("Install one with: nervous \(kind == .app ? "" : "sensors ")install NAME")
    }
}

extension BundledContent {
    /// The bundled item that an argument names; `nil` if the argument is a path, or if a file or folder has
    /// this name.
    func item(_ kind: Kind, namedBy word: String) -> Item? {
        guard !word.contains("/"), !FileManager.default.fileExists(atPath: word) else {
            return nil
        }
        return items(kind).first { $0.name == word }
    }

    /// The end of a hint that asks for a path: the names that can be given instead.
    func alternatives(_ kind: Kind) -> String {
        let names = items(kind).map(\.name)
        return names.isEmpty
            ? "." : ", or the name of a bundled \(kind.noun): \(names.joined(separator: ", "))."
    }
}

extension BundledContent.Kind {
    fileprivate var noun: String {
        switch self {
        case .app: "app"
        case .sensorPack: "sensor pack"
        }
    }
}

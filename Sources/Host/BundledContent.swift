import Foundation

/// The apps and sensor packs that come with Nervous, which commands find by their name.
///
/// They are in `share/nervous` of an installation, and in the clone that a program was built in.
///
/// ```swift
/// let names = BundledContent().items(.app).map(\.name)
/// ```
package struct BundledContent: Sendable {
    /// The kinds of bundled content; the raw value is the name of its folder.
    package enum Kind: String, CaseIterable, Sendable {
        case app = "jsapps"
        case sensorPack = "sensorpacks"

        /// The file that describes an item.
        fileprivate var manifest: String {
            switch self {
            case .app: "package.json"
            case .sensorPack: "sensor.json"
            }
        }
    }

    /// One app or sensor pack.
    package struct Item: Sendable, Hashable {
        /// The name of its folder.
        package let name: String
        /// The path of its folder.
        package let path: String
        package let title: String?
        package let version: String?
        /// The sensor that a pack declares; `nil` for an app.
        package let sensor: String?
    }

    /// The members of `package.json` and of `sensor.json` that lists show.
    private struct Manifest: Decodable {
        let title: String?
        let version: String?
        let id: String?
    }

    /// The folder that contains the folders of all kinds; `nil` if it was not found.
    private let root: String?

    /// - Parameter folder: the folder of the program; by default, of the program of this process.
    package init(ofProgramIn folder: String? = CompanionProgram.ownFolder) {
        root = folder.flatMap { folder in
            ["\(folder)/../share/nervous", Self.clone(around: folder)].compactMap(\.self)
                .map { URL(filePath: $0).standardizedFileURL.path(percentEncoded: false) }
                .first { root in
                    Kind.allCases.contains {
                        FileManager.default.fileExists(atPath: "\(root)/\($0.rawValue)")
                    }
                }
        }
    }

    /// All items of a kind that have a readable manifest, by name.
    package func items(_ kind: Kind) -> [Item] {
        guard let root,
            let names = try? FileManager.default.contentsOfDirectory(
                atPath: "\(root)/\(kind.rawValue)")
        else { return [] }
        return names.sorted().compactMap { name in
            let path = "\(root)/\(kind.rawValue)/\(name)"
            guard let text = FileManager.default.contents(atPath: "\(path)/\(kind.manifest)"),
                let manifest = try? JSONDecoder().decode(Manifest.self, from: text)
            else { return nil }
            return Item(
                name: name, path: path, title: manifest.title, version: manifest.version,
                sensor: kind == .sensorPack ? manifest.id : nil)
        }
    }

    /// The clone whose build folder a program is in.
    private static func clone(around folder: String) -> String? {
        let parts = folder.split(separator: "/")
        guard let index = parts.lastIndex(of: ".build") else { return nil }
        let clone = "/" + parts[..<index].joined(separator: "/")
        return FileManager.default.fileExists(atPath: "\(clone)/Package.swift") ? clone : nil
    }
}

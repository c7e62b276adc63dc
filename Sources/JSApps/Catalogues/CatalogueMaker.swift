import Auth
public import Foundation
import Text

/// Makes a catalogue of a folder of packages.
///
/// ```swift
/// let maker = CatalogueMaker(unpacker: unpacker)
/// let made = try maker.make(folder, named: name, signingWith: key)
/// try made.index.write(to: …)
/// ```
public struct CatalogueMaker: Sendable {
    /// What was made.
    public struct Made: Sendable {
        /// The edition.
        public let edition: CatalogueEdition
        /// Whether it is the one that the folder has already.
        public let isUnchanged: Bool
        /// The bytes of `index.json`.
        public var index: [UInt8] { edition.bytes }
        /// The bytes of `index.json.sig`.
        public var signature: [UInt8] { edition.signature }
    }

    private let limits: PackageLimits
    private let unpacker: ArchiveUnpacker

    /// - Parameters:
    ///   - limits: the limits that every package must keep.
    ///   - unpacker: unpacks the packages.
    public init(limits: PackageLimits = PackageLimits(), unpacker: ArchiveUnpacker) {
        self.limits = limits
        self.unpacker = unpacker
    }

    /// Checks every package of a folder as an installation does, and signs an index of them.
    ///
    /// The same packages, name and key give the same bytes. The edition is one more than that of the
    /// `index.json` in the folder, or the same if nothing else changed; without one it is 1. Files whose
    /// name ends neither with `.zip` nor with `.nervous` are ignored. Nothing is written. Blocks while it
    /// works.
    ///
    /// - Parameters:
    ///   - name: the name of the catalogue; `nil` for that of the present index.
    ///   - title: its title; `nil` for that of the present index.
    ///   - sequence: the number of the edition, which must be greater than that of the present index.
    ///   - progress: called with the packages that were checked, and their number.
    /// - Throws: ``JSAppsError``; its message names the file.
    public func make(
        _ folder: URL, named name: AppName?, title: String? = nil, sequence: Int64? = nil,
        signingWith key: SigningKey, progress: (Int, Int) -> Void = { _, _ in }
    ) throws(JSAppsError) -> Made {
        let path = folder.path(percentEncoded: false)
        guard try InputFile.isFolder(path) else {
            throw JSAppsError(.inputMissing, "Only a folder can be made a catalogue.")
        }
        let present = try Self.present(path, key)
        guard let name = name ?? present?.index.name else {
            throw JSAppsError(
                .badCatalogue, "The catalogue has no name yet.",
                hint: "Give it one: nervous catalogue make DIR --sign KEY --name NAME")
        }
        let files = try Self.packages(path)
        guard files.count <= CatalogueIndex.maximumPackages else {
            throw JSAppsError(
                .tooLarge, "The folder has more than \(CatalogueIndex.maximumPackages) packages.")
        }
        var packages: [CataloguePackage] = []
        for (number, file) in files.enumerated() {
            progress(number, files.count)
            let package = try package(file, in: path)
            if let other = packages.first(where: { $0.name == package.name }) {
                throw JSAppsError(
                    .duplicateName,
                    "‘\(other.file)’ and ‘\(file)’ are both packages of ‘\(package.name)’.",
                    hint: "Keep one version of each package in the folder.")
            }
            packages.append(package)
        }
        let next = try Self.sequence(sequence, after: present?.index.sequence)
        func edition(_ sequence: Int64) throws(JSAppsError) -> CatalogueEdition {
            try CatalogueEdition(
                CatalogueIndex(
                    name: name, title: title ?? present?.index.title, sequence: sequence,
                    packages: packages), by: key)
        }
        if sequence == nil, let present {
            let same = try edition(present.index.sequence)
            if same.bytes == present.bytes { return Made(edition: same, isUnchanged: true) }
        }
        let made = try edition(next)
        // An index that hosts would reject is not returned.
        return Made(
            edition: try CatalogueEdition(index: made.bytes, signature: made.signature),
            isUnchanged: false)
    }

    private static func sequence(
        _ wanted: Int64?, after present: Int64?
    ) throws(JSAppsError) -> Int64 {
        let least = (present ?? 0) + 1
        let sequence = wanted ?? least
        guard (least...max(least, CatalogueIndex.largestSequence)).contains(sequence),
            sequence <= CatalogueIndex.largestSequence
        else {
            throw JSAppsError(
                .badCatalogue,
                "The number of an edition is an integer from \(least) to"
                    + " \(CatalogueIndex.largestSequence).",
                hint: present.map { "The folder has edition \($0)." })
        }
        return sequence
    }

    /// The edition in the folder, which the key must have signed; `nil` if there is none.
    private static func present(
        _ path: String, _ key: SigningKey
    ) throws(JSAppsError) -> CatalogueEdition? {
        guard let index = try read(CatalogueIndex.fileName, in: path, CatalogueIndex.limit) else {
            return nil
        }
        let file = CatalogueIndex.fileName + CatalogueIndex.signatureEnding
        guard let signature = try read(file, in: path, CatalogueIndex.signatureLimit) else {
            throw JSAppsError(
                .badSignature, "The folder has an \(CatalogueIndex.fileName) without \(file).",
                hint: "Restore it, or remove the index and give the next edition with --sequence.")
        }
        let edition = try CatalogueEdition(index: index, signature: signature)
        guard edition.signer == key.signer else {
            throw JSAppsError(
                .catalogueKeyChanged,
                "The catalogue in the folder is signed by \(edition.signer.shortFingerprint), and not"
                    + " by \(key.signer.shortFingerprint).",
                hint: "Hosts refuse another key. To begin another catalogue, remove the"
                    + " \(CatalogueIndex.fileName) first.")
        }
        return edition
    }

    /// Reads a file; `nil` if it is missing.
    private static func read(
        _ name: String, in path: String, _ limit: Int
    ) throws(JSAppsError) -> [UInt8]? {
        do throws(SystemError) {
            let file = try Folder.open(path).file(name)
            guard try file.isRegular() else { return nil }
            return try file.read(atMost: limit)
        } catch {
            guard !error.isMissing else { return nil }
            throw .io("Could not read ‘\(name.escapedForDisplay(limit: 100))’", error)
        }
    }

    /// The names of the packages in the folder, in byte order.
    private static func packages(_ path: String) throws(JSAppsError) -> [String] {
        let names = try JSAppsError.wrap("Could not list the packages") { () throws(SystemError) in
            try Folder.open(path).names()
        }
        var files: [String] = []
        for bytes in names {
            let name = String(decoding: bytes, as: UTF8.self)
            guard [".zip", ".nervous"].contains(where: name.hasSuffix), !name.hasPrefix(".") else {
                continue
            }
            guard CataloguePackage.isFileName(name) else {
                throw JSAppsError(
                    .unsafePath,
                    "The file ‘\(name.escapedForDisplay(limit: 100))’ cannot be in a catalogue.",
                    hint: "Rename it with letters, digits and . _ + - only.")
            }
            files.append(name)
        }
        return files
    }

    private func package(
        _ file: String, in path: String
    ) throws(JSAppsError) -> CataloguePackage {
        guard let bytes = try Self.read(file, in: path, limits.archiveBytes) else {
            throw JSAppsError(.inputMissing, "‘\(file)’ is not a plain file.")
        }
        guard bytes.count <= limits.archiveBytes else {
            throw JSAppsError(.tooLarge, "‘\(file)’ exceeds \(limits.archiveBytes) bytes.")
        }
        do {
            if let pack = try pack(bytes) {
                return try self.package(pack, file, bytes)
            }
            let manifest = try PackageSource.archive(bytes, unpacker)
                .unpack(limits: limits) { _, _ throws(JSAppsError) in }.manifest
            return CataloguePackage(
                kind: .app, name: manifest.name, version: manifest.version, title: manifest.title,
                summary: manifest.summary, file: file, size: bytes.count,
                sha256: Fingerprint.sha256(bytes))
        } catch {
            throw JSAppsError(
                error.code, "\(file): \(error.message)", hint: error.hint, cause: error.cause)
        }
    }

    /// The `sensor.json` of a sensor pack and the folder that it is in; `nil` for an app.
    private func pack(
        _ archive: [UInt8]
    ) throws(JSAppsError) -> (text: [UInt8], folder: String?)? {
        var found: (text: [UInt8], folder: String?)?
        var isApp = false
        try unpacker.unpack(archive, limits: limits) { event throws(JSAppsError) in
            guard case .file(let path, let bytes) = event, path.components.count <= 2 else {
                return
            }
            switch path.components.last {
            case SensorPackArchive.file:
                found = (bytes, path.components.count == 2 ? path.components.first : nil)
            case "app.js", "axon.js": isApp = true
            default: break
            }
        }
        return isApp ? nil : found
    }

    private func package(
        _ pack: (text: [UInt8], folder: String?), _ file: String, _ bytes: [UInt8]
    ) throws(JSAppsError) -> CataloguePackage {
        let root: JSONValue
        do throws(JSONSyntaxError) {
            root = try StrictJSON(allowsTrailingCommas: true).parse(pack.text)
        } catch {
            throw JSAppsError(
                .badManifest, "\(SensorPackArchive.file):\(error.position): \(error.message)",
                cause: error)
        }
        let stem = file.hasSuffix(".zip") ? file.dropLast(4) : file.dropLast(8)
        guard let name = pack.folder.flatMap({ AppName($0) }) ?? AppName(String(stem)) else {
            throw JSAppsError(
                .wrongFolderName, "The name of the sensor pack is not kebab-case.",
                hint: "Name its folder or its file like weather-station.")
        }
        return CataloguePackage(
            kind: .sensorPack, name: name, version: root["version"]?.string ?? "0.0.0",
            title: root["title"]?.string, summary: root["description"]?.string, file: file,
            size: bytes.count, sha256: Fingerprint.sha256(bytes))
    }
}

import Files
import Glibc
public import Samples
import Scheduling
import Text

/// A catalogue that the owner has added.
public struct Catalogue: Sendable {
    /// The owner's name for it.
    public let name: AppName
    /// The URL or the path of its index.
    public let address: String
    /// The newest edition seen, signed by the pinned key.
    public let edition: CatalogueEdition
    /// When the index was last read, to the millisecond.
    public let refreshed: Timestamp

    /// Its packages and their edition.
    public var index: CatalogueIndex { edition.index }
    /// The pinned key.
    public var signer: SignerKey { edition.signer }
}

/// The owner's catalogues: the pinned key and the newest edition seen of each.
///
/// Each is a file `<folder>/<name>.json`, which is replaced atomically, so key, edition and packages
/// never contradict each other, also after a power cut. Blocking calls run on a thread of their own.
///
/// ```swift
/// let store = CatalogueStore(folder: paths.catalogues)
/// let edition = try CatalogueEdition(index: bytes, signature: signature)
/// try await store.add(edition, named: edition.index.name, from: address, pinned: key, at: .now())
/// ```
public actor CatalogueStore {
    /// The maximum number of catalogues.
    public static let limit = 50
    /// The name of the apps and sensor packs that come with Nervous.
    public static let bundled = "bundled"
    private static let ending = ".json"
    /// An index as a JSON string: each byte takes at most six.
    private static let largest = 6 * (CatalogueIndex.limit + CatalogueIndex.signatureLimit) + 65536

    private let folder: String
    private let executor = BlockingSerialExecutor(label: "catalogues")

    /// The executor that blocking calls run on.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// - Parameter folder: the absolute path of the folder, which need not exist.
    public init(folder: String) {
        self.folder = folder
    }

    /// All catalogues, by name.
    ///
    /// - Throws: ``JSAppsError`` with code `damaged` or `io`.
    public func catalogues() throws(JSAppsError) -> [Catalogue] {
        let files: [String]
        do throws(SystemError) {
            files = try Folder.open(folder).names().map { String(decoding: $0, as: UTF8.self) }
        } catch {
            guard !error.isMissing else { return [] }
            throw .io("Could not list the catalogues", error)
        }
        var catalogues: [Catalogue] = []
        for file in files where file.hasSuffix(Self.ending) {
            guard let name = AppName(String(file.dropLast(Self.ending.count))) else { continue }
            if let found = try read(name) { catalogues.append(found) }
        }
        return catalogues
    }

    /// One catalogue.
    ///
    /// - Throws: ``JSAppsError`` with code `noSuchCatalogue`, `damaged` or `io`.
    public func catalogue(named text: String) throws(JSAppsError) -> Catalogue {
        guard let name = AppName(text), let found = try read(name) else {
            throw Self.missing(text)
        }
        return found
    }

    /// Checks that an edition can be added under a name, without adding it.
    ///
    /// A catalogue that exists keeps its key, and accepts no older edition; its address can change.
    ///
    /// - Throws: ``JSAppsError`` with code `nameTaken`, `conflict`, `catalogueKeyChanged`,
    ///   `staleCatalogue`, `damaged` or `io`.
    public func check(_ edition: CatalogueEdition, named name: AppName) throws(JSAppsError) {
        guard name.text != Self.bundled else {
            throw JSAppsError(
                .nameTaken, "‘\(name)’ is the name of the packages that come with Nervous.",
                hint: "Choose another name: nervous catalogue add ADDRESS --as NAME")
        }
        if let known = try read(name) {
            return try edition.check(named: name, pinned: known.signer, after: known.edition)
        }
        guard try catalogues().count < Self.limit else {
            throw JSAppsError(
                .conflict, "There are \(Self.limit) catalogues already.",
                hint: "Remove one with: nervous catalogue remove NAME")
        }
    }

    /// Adds a catalogue, or changes the address of one.
    ///
    /// - Parameters:
    ///   - address: the URL or the path of the index.
    ///   - pinned: the key that the owner accepted, which must have signed the edition.
    ///   - time: the current time.
    /// - Throws: ``JSAppsError`` as ``check(_:named:)``; nothing has changed then.
    @discardableResult
    public func add(
        _ edition: CatalogueEdition, named name: AppName, from address: String, pinned: SignerKey,
        at time: Timestamp
    ) throws(JSAppsError) -> Catalogue {
        try edition.check(named: name, pinned: pinned, after: nil)
        try check(edition, named: name)
        return try write(
            Catalogue(name: name, address: address, edition: edition, refreshed: time))
    }

    /// Stores an edition that was read again.
    ///
    /// - Throws: ``JSAppsError`` with code `noSuchCatalogue`, `catalogueKeyChanged`,
    ///   `staleCatalogue`, `damaged` or `io`; nothing has changed then.
    @discardableResult
    public func refresh(
        _ text: String, with edition: CatalogueEdition, at time: Timestamp
    ) throws(JSAppsError) -> Catalogue {
        let known = try catalogue(named: text)
        try edition.check(named: known.name, pinned: known.signer, after: known.edition)
        return try write(
            Catalogue(
                name: known.name, address: known.address, edition: edition, refreshed: time))
    }

    /// Forgets a catalogue, its key and the newest edition seen; installed apps remain.
    ///
    /// - Throws: ``JSAppsError`` with code `noSuchCatalogue` or `io`.
    public func remove(_ text: String) throws(JSAppsError) {
        guard let name = AppName(text) else { throw Self.missing(text) }
        guard unlink(path(name)) == 0 else {
            guard errno == ENOENT || errno == ENOTDIR else {
                throw .io("Could not remove the catalogue ‘\(name)’", .last("unlink"))
            }
            throw Self.missing(text)
        }
        do throws(FilesError) {
            try DurableFile.synchroniseFolder(of: path(name))
        } catch {
            throw Self.failed("Could not remove the catalogue", error)
        }
    }

    // MARK: - Files

    private func path(_ name: AppName) -> String { "\(folder)/\(name)\(Self.ending)" }

    private func write(_ catalogue: Catalogue) throws(JSAppsError) -> Catalogue {
        let edition = catalogue.edition
        let text = """
            {
              "format": 1,
              "address": \(JSONString.literal(catalogue.address)),
              "refreshed": \(catalogue.refreshed.microseconds / 1000),
              "index": \(JSONString.literal(String(decoding: edition.bytes, as: UTF8.self))),
              "signature": \(JSONString.literal(String(decoding: edition.signature, as: UTF8.self)))
            }

            """
        do throws(FilesError) {
            try PrivateFolder.make(folder)
            try DurableFile.replace(path(catalogue.name), with: Array(text.utf8))
        } catch {
            throw Self.failed("Could not store the catalogue", error)
        }
        return catalogue
    }

    /// Reads a file; `nil` if it is missing.
    private func read(_ name: AppName) throws(JSAppsError) -> Catalogue? {
        let bytes: [UInt8]
        do throws(SystemError) {
            let file = try Folder.open(folder).file("\(name)\(Self.ending)")
            bytes = try file.isRegular() ? try file.read(atMost: Self.largest) : []
        } catch {
            guard !error.isMissing else { return nil }
            throw .io("Could not read the catalogue ‘\(name)’", error)
        }
        guard
            let root = try? StrictJSON(maximumBytes: Self.largest, maximumDepth: 2).parse(bytes),
            root["format"]?.number?.int64 == 1, let address = root["address"]?.string,
            let refreshed = root["refreshed"]?.number?.int64, abs(refreshed) < 1 << 53,
            let index = root["index"]?.string, let signature = root["signature"]?.string,
            let edition = try? CatalogueEdition(
                index: Array(index.utf8), signature: Array(signature.utf8))
        else {
            // Nothing is inherited from a damaged file: its key and its edition are not known.
            throw JSAppsError(
                .damaged, "The file of the catalogue ‘\(name)’ is damaged.",
                hint: "Remove it, and add the catalogue again: nervous catalogue remove \(name)")
        }
        return Catalogue(
            name: name, address: address, edition: edition,
            refreshed: Timestamp(microseconds: refreshed * 1000))
    }

    private static func failed(_ what: String, _ error: FilesError) -> JSAppsError {
        JSAppsError(.io, "\(what): \(error.reason).", hint: error.hint, cause: error)
    }

    private static func missing(_ name: String) -> JSAppsError {
        JSAppsError(
            .noSuchCatalogue,
            "There is no catalogue ‘\(name.escapedForDisplay(limit: 64))’.",
            hint: "List them with: nervous catalogue list")
    }
}

/// Files of a catalogue in a folder.
///
/// ```swift
/// let files = CatalogueFolder(path: "/srv/catalogue")
/// let index = try await files.read("index.json", atMost: CatalogueIndex.limit)
/// ```
public actor CatalogueFolder {
    private let path: String
    private let executor = BlockingSerialExecutor(label: "catalogue folder")

    /// The executor that blocking calls run on.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// - Parameter path: the absolute path of the folder.
    public init(path: String) {
        self.path = path
    }

    /// Reads a plain file directly in the folder; links are not followed.
    ///
    /// - Throws: ``JSAppsError`` with code `inputMissing`, `tooLarge` or `io`.
    public func read(_ name: String, atMost limit: Int) throws(JSAppsError) -> [UInt8] {
        let shown = name.escapedForDisplay(limit: 100)
        let bytes: [UInt8]?
        do throws(SystemError) {
            let file = try Folder.open(path).file(name)
            bytes = try file.isRegular() ? try file.read(atMost: limit) : nil
        } catch {
            guard !error.isMissing else { throw Self.missing(shown) }
            throw .io("Could not read ‘\(shown)’ of the catalogue", error)
        }
        guard let bytes else { throw Self.missing(shown) }
        guard bytes.count <= limit else {
            throw JSAppsError(.tooLarge, "‘\(shown)’ of the catalogue exceeds \(limit) bytes.")
        }
        return bytes
    }

    private static func missing(_ shown: String) -> JSAppsError {
        JSAppsError(
            .inputMissing, "The folder of the catalogue has no plain file ‘\(shown)’.",
            hint: "Make a catalogue of a folder with: nervous catalogue make DIR --sign KEY")
    }
}

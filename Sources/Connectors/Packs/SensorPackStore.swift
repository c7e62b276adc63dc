import Files
import Foundation
import Glibc
public import Samples
import Synchronization
public import VM

/// The installed sensor packs and their sensors.
///
/// Each pack is a file `<folder>/<id>.json`, replaced atomically. An unreadable file appears as an
/// unavailable sensor with the reason.
public final class SensorPackStore: SensorDriver {
    /// The maximum number of packs.
    public static let limit = 200

    private struct Item {
        let pack: SensorPack
        let text: [UInt8]
        /// Created once, so that another discovery does not interrupt a connection.
        let source: SupervisedSource
    }

    private struct State {
        var items: [SensorID: Item] = [:]
        var damaged: [SensorID: String] = [:]
    }

    private let folder: String
    private let devices: String
    private let secrets: SourceSecrets
    private let budget = HostRateLimiter()
    private let state = Mutex(State())

    /// Opens a folder, which need not exist.
    ///
    /// - Parameters:
    ///   - devices: the folder that is used as `/dev`.
    ///   - secrets: those of all sources.
    public init(
        folder: String, devices: String = "/dev", secrets: SourceSecrets = SourceSecrets()
    ) {
        (self.folder, self.devices, self.secrets) = (folder, devices, secrets)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names.sorted() where name.hasSuffix(".json") {
            guard let id = SensorID(String(name.dropLast(5))) else { continue }
            do throws(PackError) {
                let text = try Self.read("\(folder)/\(name)")
                let pack = try SensorPack(
                    text, budget: budget, devices: devices, secrets: secrets)
                guard pack.id == id else { throw PackError("\(name) is the pack of \(pack.id).") }
                put(pack, text)
            } catch {
                state.withLock { $0.damaged[id] = error.message }
            }
        }
    }

    public func discover() -> [DiscoveredSensor] {
        let (items, damaged) = state.withLock { ($0.items, $0.damaged) }
        return items.values.map { DiscoveredSensor($0.pack.sensor, .pushed($0.source)) }
            + damaged.map { id, problem in
                let sensor = Sensor(
                    id: id, title: id.description, fields: [], source: "\(folder)/\(id).json")
                return DiscoveredSensor(
                    sensor,
                    .unavailable(
                        reason: "its pack is invalid: \(problem)",
                        remedy: "nervous sensors uninstall \(id), then install it again"))
            }
    }

    // MARK: - Packs

    /// The installed packs, by identifier.
    public var packs: [SensorPack] {
        state.withLock { $0.items.values.map(\.pack) }.sorted { $0.id < $1.id }
    }

    /// The text of an installed pack.
    public func text(of id: SensorID) -> [UInt8]? { state.withLock { $0.items[id]?.text } }

    /// Whether there is a pack for a sensor, even an unusable one.
    public func holds(_ id: SensorID) -> Bool {
        state.withLock { $0.items[id] != nil || $0.damaged[id] != nil }
    }

    /// Stores a pack, replacing one with the same identifier.
    ///
    /// - Returns: the pack, and whether it is new.
    /// - Throws: ``PackError`` for an invalid pack, too many packs, or if it cannot be stored.
    public func install(_ text: [UInt8]) throws(PackError) -> (SensorPack, isNew: Bool) {
        let pack = try SensorPack(text, budget: budget, devices: devices, secrets: secrets)
        let isNew = !holds(pack.id)
        guard !isNew || packs.count < Self.limit else {
            throw PackError("At most \(Self.limit) packs can be installed.")
        }
        try write(text, to: pack.id)
        put(pack, text)
        return (pack, isNew)
    }

    /// Removes a pack; the samples of its sensor are kept.
    ///
    /// - Returns: whether it existed.
    public func remove(_ id: SensorID) throws(PackError) -> Bool {
        guard holds(id) else { return false }
        guard unlink(path(id)) == 0 || errno == ENOENT else {
            throw PackError("\(path(id)) cannot be removed: \(String(cString: strerror(errno))).")
        }
        state.withLock {
            $0.items[id] = nil
            $0.damaged[id] = nil
        }
        return true
    }

    // MARK: - Files

    private func put(_ pack: SensorPack, _ text: [UInt8]) {
        state.withLock {
            $0.items[pack.id] = Item(pack: pack, text: text, source: pack.source)
            $0.damaged[pack.id] = nil
        }
    }

    private func path(_ id: SensorID) -> String { "\(folder)/\(id).json" }

    private static func read(_ path: String) throws(PackError) -> [UInt8] {
        guard let file = FileHandle(forReadingAtPath: path),
            let data = try? file.read(upToCount: SensorPack.limit + 1)
        else { throw PackError("\(path) cannot be read.") }
        return Array(data)
    }

    /// Writes a pack with access only for the owner, since it may contain a password.
    private func write(_ text: [UInt8], to id: SensorID) throws(PackError) {
        do throws(FilesError) {
            try PrivateFolder.make(folder)
            try DurableFile.replace(path(id), with: text)
        } catch {
            throw PackError("The pack could not be stored in \(folder): \(error.reason).")
        }
    }
}

import Scheduling

/// Reads the archive of a sensor pack.
///
/// Unpacking waits for a process, so it runs on a thread of its own.
///
/// ```swift
/// let archives = SensorPackArchive(limits: PackageLimits(), unpacker: unpacker)
/// let description = try await archives.description(in: bytes)
/// ```
public actor SensorPackArchive {
    /// The file that describes the sensor.
    public static let file = "sensor.json"

    private let limits: PackageLimits
    private let unpacker: ArchiveUnpacker
    private let executor = BlockingSerialExecutor(label: "sensor packs")

    /// The executor that blocking calls run on.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// - Parameter unpacker: unpacks the archives.
    public init(limits: PackageLimits, unpacker: ArchiveUnpacker) {
        self.limits = limits
        self.unpacker = unpacker
    }

    /// The content of `sensor.json`, at the top of the archive or in a folder there.
    ///
    /// - Throws: ``JSAppsError`` if the archive is invalid, too large, or does not contain the file
    ///   exactly once.
    public func description(in archive: [UInt8]) throws(JSAppsError) -> [UInt8] {
        var found: [UInt8]?
        var number = 0
        try unpacker.unpack(archive, limits: limits) { event throws(JSAppsError) in
            guard case .file(let path, let bytes) = event, path.components.count <= 2,
                path.components.last == Self.file
            else { return }
            found = bytes
            number += 1
        }
        guard let found else {
            throw JSAppsError(
                .missingFile, "The package has no ‘\(Self.file)’, so it is not a sensor pack.",
                hint: "Install an app with: nervous install PACKAGE")
        }
        guard number == 1 else {
            throw JSAppsError(.wrongFolderName, "The package has two files ‘\(Self.file)’.")
        }
        return found
    }
}

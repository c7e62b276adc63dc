/// The description in the archive of a sensor pack.
///
/// Unpacking waits for a process, so it has a thread of its own.
public actor SensorArchive {
    /// The file that describes the sensor.
    public static let file = "sensor.json"

    private let limits: PackageLimits
    private let unpacker: Unpacker
    private let executor = BlockingExecutor(label: "sensor packs")

    /// The executor that blocking calls run on.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    public init(limits: PackageLimits, unpacker: Unpacker) {
        self.limits = limits
        self.unpacker = unpacker
    }

    /// The bytes of `sensor.json`, which lies in the archive's one folder or beside nothing.
    ///
    /// - Throws: ``JSAppsError`` for what is no archive, is too large, or has no such file.
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
                .missingFile, "The package has no ‘\(Self.file)’, so it is no sensor pack.",
                hint: "An app is installed with: nervous install PACKAGE")
        }
        guard number == 1 else {
            throw JSAppsError(.wrongFolderName, "The package has two files ‘\(Self.file)’.")
        }
        return found
    }
}

/// Installs archives one after the other, on a thread of its own.
actor PackageInstaller {
    private let folder: AppsFolder
    private let executor = BlockingExecutor(label: "package installer")

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    init(_ folder: AppsFolder) {
        self.folder = folder
    }

    func install(
        _ archive: [UInt8], _ terms: InstallTerms
    ) throws(JSAppsError) -> Installation {
        try folder.install(.archive(bytes: archive, unpacker: folder.unpacker), terms)
    }
}

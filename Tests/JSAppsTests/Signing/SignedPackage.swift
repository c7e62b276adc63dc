import Testing

@testable import JSApps

/// The files of one package, for signing, changing and checking.
struct SignedPackage {
    /// The key of the test vector: the bytes 0 to 31.
    static let secret =
        "nvsec_000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1fcde945"
    /// Another signing key.
    static let otherSecret = KeyText.signing.encode((0..<32).map { 0xFF - UInt8($0) })

    var folder = "my-app"
    var files: [String: [UInt8]]

    /// The package of the test vector, without a signature.
    static let vector = SignedPackage(
        files: [
            "package.json": #"{"name": "my-app", "version": "1.0.0", "privileges": []}"# + "\n",
            "app.js": "console.log(\"hello\")\n",
            "app.html": "<!doctype html><title>my-app</title>\n",
            "images/grün.svg": "<svg/>\n",
        ])

    init(files: [String: String]) {
        self.files = files.mapValues { Array($0.utf8) }
    }

    /// Checks the files like an installation.
    func checked() throws -> CheckedPackage {
        var intake = PackageIntake(limits: PackageLimits())
        for (path, bytes) in files {
            try intake.add(
                try SafePath(checking: Array(path.utf8), limits: PackageLimits()), bytes)
        }
        let paths = try files.keys.map { path in
            try SafePath(checking: Array("\(folder)/\(path)".utf8), limits: PackageLimits())
        }
        return try intake.finish(PackageLayout(files: paths, folders: []))
    }

    /// The files with a signature.
    func signed(by secret: String = secret) throws -> SignedPackage {
        var unsigned = self
        unsigned.files[PackageSignature.fileName] = nil
        let package = try unsigned.checked()
        let signature = try PackageSignature(
            package.manifest, package.files, by: try SigningKey(secret))
        unsigned.files[PackageSignature.fileName] = signature.encoded
        return unsigned
    }

    func changed(_ change: (inout SignedPackage) -> Void) -> SignedPackage {
        var package = self
        change(&package)
        return package
    }

    /// The error of the checks; `nil` if the package is accepted.
    func fault() throws -> JSAppsError.Code? {
        do {
            _ = try checked()
            return nil
        } catch let error as JSAppsError {
            return error.code
        }
    }

    /// The package as an archive.
    var archive: [UInt8] {
        ZipForge(
            files.sorted { $0.key < $1.key }.map { path, bytes in
                .stored(Array("\(folder)/\(path)".utf8), bytes)
            }
        ).bytes
    }
}

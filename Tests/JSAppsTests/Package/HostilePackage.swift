import JSApps
import Testing

/// An archive that must not be installed, and why.
struct HostilePackage: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let code: JSAppsError.Code
    let bytes: [UInt8]

    init(_ name: String, _ code: JSAppsError.Code, _ bytes: [UInt8]) {
        testDescription = name
        self.code = code
        self.bytes = bytes
    }

    init(_ name: String, _ code: JSAppsError.Code, adding entries: ForgedEntry...) {
        self.init(name, code, entries.reduce(ZipForge.good()) { $0.with($1) }.bytes)
    }

    /// The valid package with changes.
    init(_ name: String, _ code: JSAppsError.Code, change: (inout ZipForge) -> Void) {
        self.init(name, code, ZipForge.good().changed(change).bytes)
    }

    /// The valid package with its second entry, `app.js`, changed.
    static func entry(
        _ name: String, _ code: JSAppsError.Code, change: (inout ForgedEntry) -> Void
    ) -> HostilePackage {
        HostilePackage(name, code) { change(&$0.entries[1]) }
    }
}

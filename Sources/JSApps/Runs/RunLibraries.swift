public import RunnerProtocol

/// The scripts that runners load when an app needs them, as they were bundled when this was built.
public struct RunLibraries: Sendable {
    private let texts: [RunnerLibrary: [UInt8]]

    /// - Parameter texts: those that there are; what is left out is missing for apps.
    public init(_ texts: [RunnerLibrary: [UInt8]] = [:]) {
        self.texts = texts
    }

    subscript(library: RunnerLibrary) -> [UInt8]? { texts[library] }

    /// Why a library is missing, for the author of an app.
    static func lack(of library: RunnerLibrary) -> String {
        switch library {
        case .document: "this host was built without node-domino and esbuild"
        case .modules: "this host was built without node-acorn and esbuild"
        }
    }
}

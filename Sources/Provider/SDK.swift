import AppRuns
import Resources

/// What apps find to reach their host: the same scripts in a browser and in a runner.
enum SDK {
    /// In the order in which they build on each other.
    private static let scripts = [
        ("nervous.js", ProviderFiles.nervousJS.bytes),
        ("generic-sensor.js", ProviderFiles.genericSensorJS.bytes),
        ("navigator.js", ProviderFiles.navigatorJS.bytes),
    ]

    /// All of them, as a page loads them.
    static let page = scripts.map(\.1).reduce(into: [UInt8]()) { $0 += $1 + Array("\n;\n".utf8) }

    /// Each of them, as a runner loads them.
    static let prelude = scripts.map { name, bytes in
        RunScript(name: name, source: String(decoding: bytes, as: UTF8.self))
    }

    /// What their names and types are, for TypeScript and editors.
    static let typings = ProviderFiles.nervousDTS.bytes
}

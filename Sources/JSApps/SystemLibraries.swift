import Glibc
import Scheduling

/// The JavaScript libraries of Debian that apps may load, read where they are installed.
///
/// They are not part of this program; a library that is not installed is missing for apps.
///
/// ```swift
/// let libraries = SystemLibraries()
/// if let script = await libraries.script(of: .jquery) { serve(script) }
/// ```
public actor SystemLibraries {
    /// The folder in which Debian installs libraries for browsers.
    public static let standardFolder = "/usr/share/javascript"
    /// Larger than any file of these libraries.
    private static let largestFile = 8 << 20

    /// A library that apps may load.
    public enum Library: String, Sendable, CaseIterable {
        /// jQuery.
        case jquery
        /// Leaflet: maps.
        case leaflet
        /// Chart.js.
        case chart = "chart.js"

        /// The Debian package that contains it.
        public var package: String { "libjs-\(rawValue)" }

        /// The script that a page loads; not minified, for readable stack traces.
        public var script: String { self == .chart ? "chart.js" : "\(rawValue).js" }
    }

    /// The result of looking up a path.
    public enum File: Sendable {
        /// The content.
        case bytes([UInt8])
        /// The library is not installed.
        case libraryMissing(Library)
        /// The path is invalid or names no library of ``Library``, or the installed library has no
        /// such file.
        case none
    }

    private let folder: String
    private let executor = BlockingSerialExecutor(label: "system libraries")

    /// The executor that blocking calls run on.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// - Parameter folder: contains a folder for each library.
    public init(folder: String = standardFolder) {
        self.folder = folder
    }

    /// The file at a path such as `leaflet/images/layers.png`.
    public func file(_ path: String) -> File {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 2, let library = Library(rawValue: String(parts[0])),
            parts.allSatisfy(Self.isName)
        else { return .none }
        if let bytes = read(parts.joined(separator: "/")) { return .bytes(bytes) }
        return isInstalled(library) ? .none : .libraryMissing(library)
    }

    /// The script of a library; `nil` if it is not installed.
    public func script(of library: Library) -> [UInt8]? {
        read("\(library.rawValue)/\(library.script)")
    }

    /// Whether a library is installed.
    public func isInstalled(_ library: Library) -> Bool {
        script(of: library) != nil
    }

    /// The folder and its links belong to the system, so links are followed.
    private func read(_ path: String) -> [UInt8]? {
        let descriptor = open("\(folder)/\(path)", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let file = OpenFile(owning: descriptor)
        guard (try? file.isRegular()) == true,
            let bytes = try? file.read(atMost: Self.largestFile), bytes.count <= Self.largestFile
        else { return nil }
        return bytes
    }

    /// Rejects names that could escape the folder, and hidden files.
    private static func isName(_ part: Substring) -> Bool {
        !part.hasPrefix(".") && !part.isEmpty
            && part.utf8.allSatisfy { byte in
                let scalar = Unicode.Scalar(byte)
                return byte < 0x80 && (scalar.properties.isAlphabetic || "0"..."9" ~= scalar)
                    || "._-".utf8.contains(byte)
            }
    }
}

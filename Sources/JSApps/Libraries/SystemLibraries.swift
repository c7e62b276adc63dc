import Glibc

/// The JavaScript libraries of the system that apps may load: Debian's, read where they are
/// installed.
///
/// Nothing of them is part of this program. What is not installed is missing for apps, too.
public actor SystemLibraries {
    /// Where Debian's packages put libraries for browsers.
    public static let standardFolder = "/usr/share/javascript"
    /// More than the largest of them has.
    private static let largestFile = 8 << 20

    /// A library that apps may load.
    public enum Library: String, Sendable, CaseIterable {
        case jquery
        case leaflet
        case chart = "chart.js"

        /// The Debian package that has it.
        public var package: String { "libjs-\(rawValue)" }

        /// The script that a page loads; it can be read by people, and so can its traces.
        public var script: String { self == .chart ? "chart.js" : "\(rawValue).js" }
    }

    /// What there is under a path.
    public enum File: Sendable {
        case bytes([UInt8])
        /// The library is not installed.
        case libraryMissing(Library)
        /// There is no such library, or it has no such file.
        case none
    }

    private let folder: String
    private let executor = BlockingExecutor(label: "system libraries")

    /// The executor that blocking calls run on.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// - Parameter folder: the folder that has a folder for each library.
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

    /// The script of a library; `nil` where it is not installed.
    public func script(of library: Library) -> [UInt8]? {
        read("\(library.rawValue)/\(library.script)")
    }

    /// Whether a library can be loaded.
    public func isInstalled(_ library: Library) -> Bool {
        script(of: library) != nil
    }

    /// The folder belongs to the system, and so do the links in it: they are followed.
    private func read(_ path: String) -> [UInt8]? {
        let descriptor = open("\(folder)/\(path)", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let file = OpenFile(owning: descriptor)
        guard (try? file.isRegular()) == true,
            let bytes = try? file.read(atMost: Self.largestFile), bytes.count <= Self.largestFile
        else { return nil }
        return bytes
    }

    /// No name leads out of the folder or to what is hidden in it.
    private static func isName(_ part: Substring) -> Bool {
        !part.hasPrefix(".") && !part.isEmpty
            && part.utf8.allSatisfy { byte in
                let scalar = Unicode.Scalar(byte)
                return byte < 0x80 && (scalar.properties.isAlphabetic || "0"..."9" ~= scalar)
                    || "._-".utf8.contains(byte)
            }
    }
}

import Glibc

/// A folder of sysfs.
struct SystemFolder: Hashable, Sendable {
    let path: String

    init(_ path: String) {
        self.path = path
    }

    /// The names inside, shorter ones first, so that `zone2` stands before `zone10`; empty when the
    /// folder cannot be read.
    var names: [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
    }

    func file(_ name: String) -> SystemFile {
        SystemFile("\(path)/\(name)")
    }

    func folder(_ name: String) -> SystemFolder {
        SystemFolder("\(path)/\(name)")
    }

    /// The only line of an attribute; `nil` when it is missing, unreadable or empty.
    func line(_ name: String) -> String? {
        do throws(SensorError) {
            let line = try file(name).line()
            return line.isEmpty ? nil : line
        } catch {
            return nil
        }
    }
}

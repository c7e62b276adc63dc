import Glibc

/// The copy of a database that is made before it is migrated to a later schema.
///
/// ```swift
/// let copy = UpgradeCopy.path(of: "/data/samples.sqlite")  // "/data/before-upgrade/samples.sqlite"
/// ```
public enum UpgradeCopy {
    /// The folder of the copies, beside the databases.
    public static let folder = "before-upgrade"

    /// Where the copy of a database is.
    public static func path(of database: String) -> String {
        let parent = PrivateFolder.parent(of: database)
        return "\(parent)/\(folder)/\(database.split(separator: "/").last ?? "")"
    }

    /// Removes the copy of a database, if there is one.
    ///
    /// Call it when something was erased from the database on request.
    public static func remove(of database: String) {
        unlink(path(of: database))
    }

    /// Removes the copies that were made before a time, and the folder if it is empty then.
    ///
    /// - Parameters:
    ///   - data: the folder of the databases.
    ///   - time: seconds since 1970.
    public static func removeAll(in data: String, before time: Int64) {
        let path = "\(data)/\(folder)"
        guard let stream = opendir(path) else { return }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
                    String(cString: $0)
                }
            }
            var facts = stat()
            guard lstat("\(path)/\(name)", &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
                Int64(facts.st_mtim.tv_sec) < time
            else { continue }
            unlink("\(path)/\(name)")
        }
        rmdir(path)
    }
}

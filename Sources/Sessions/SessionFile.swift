import Files
import Glibc

/// A file of sessions on the disk: who may open it, and what becomes of it when it is damaged.
enum SessionFile {
    private static let companions = ["-wal", "-shm"]

    /// Makes the file for its owner alone where there is none, and looks whether it and what SQLite
    /// puts beside it are so.
    ///
    /// - Throws: `unsafeFile`, `diskFull`, `storeFailed`.
    static func check(_ path: String) throws(SessionsError) {
        do throws(FilesError) {
            try PrivateFile.checkDatabase(path)
        } catch {
            let code: SessionsError.Code =
                switch error.code {
                case .unsafe: .unsafeFile
                case .diskFull: .diskFull
                case .failed: .storeFailed
                }
            throw SessionsError(code, error.message, hint: error.hint, cause: error)
        }
    }

    /// Whether there is something in the file that no book begins with.
    ///
    /// SQLite itself takes what is shorter than a page for an empty file, and writes over it.
    static func isForeign(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var head = [UInt8](repeating: 0, count: 16)
        let count = read(descriptor, &head, head.count)
        return count > 0 && head != Array("SQLite format 3\0".utf8)
    }

    /// Gives a damaged file and what belongs to it another name, and takes nothing away.
    ///
    /// - Parameter time: a part of the new name, such as `20260301T120000Z`.
    /// - Returns: the new path.
    static func setAside(_ path: String, at time: String) throws(SessionsError) -> String {
        var number = 1
        var target = "\(path).damaged-\(time)"
        while access(target, F_OK) == 0 {
            number += 1
            target = "\(path).damaged-\(time)-\(number)"
        }
        for companion in [""] + companions where access(path + companion, F_OK) == 0 {
            guard rename(path + companion, target + companion) == 0 else {
                throw SessionsError(
                    .storeFailed,
                    "Cannot set \(path + companion) aside: \(String(cString: strerror(errno))).")
            }
        }
        return target
    }
}

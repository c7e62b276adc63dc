import Egress
import Foundation
import JSApps

/// A package that a person named: an archive, or a folder that is packed on the way.
struct PackageFile {
    let path: String
    let limits: PackageLimits

    /// Whether a word is meant as a path and not as the name of an installed app.
    static func isPath(_ word: String) -> Bool {
        word.contains("/") || word.hasSuffix(".zip") || word.hasSuffix(".nervous")
    }

    func archive() throws -> Data {
        // Not to be named in a message: it may hold a password.
        guard !DownloadAddress.isAddress(path) else {
            throw CommandFailure(
                .usage, "Only what is on this machine can be run; a URL is installed first.",
                hint: "Use: nervous install URL", type: "usage")
        }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CommandFailure(
                .noInput, "There is no file or folder \(path).",
                hint: "Give the path of a .zip or .nervous package, or of an app's folder.",
                type: "input-missing")
        }
        if isFolder.boolValue { return Data(try Packer(limits: limits).pack(URL(filePath: path))) }
        let limit = limits.archiveBytes
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw CommandFailure(
                .noInput, "\(path) cannot be read.", hint: "Check its permissions: ls -l \(path)")
        }
        let data = try file.read(upToCount: limit + 1) ?? Data()
        guard data.count <= limit else {
            throw CommandFailure(
                .badData, "\(path) is larger than a package may be, which is \(limit) bytes.",
                type: "too-large")
        }
        return data
    }
}

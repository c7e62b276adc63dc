import Foundation
import JSApps

/// A sensor pack that a person named: an archive, a folder, or the `sensor.json` itself.
struct SensorPackFile {
    let path: String
    let limits: PackageLimits

    /// The bytes of the archive or of the description.
    func content() throws -> Data {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CommandFailure(
                .noInput, "There is no file or folder \(path).",
                hint:
                    "Give the path of a sensor pack: a .zip, a folder with a sensor.json, or that file.",
                type: "input-missing")
        }
        let file = isFolder.boolValue ? "\(path)/\(SensorPackArchive.file)" : path
        guard let handle = FileHandle(forReadingAtPath: file) else {
            throw CommandFailure(
                .noInput, "\(file) cannot be read.",
                hint: "A sensor pack has a \(SensorPackArchive.file).", type: "input-missing")
        }
        let data = try handle.read(upToCount: limits.archiveBytes + 1) ?? Data()
        guard data.count <= limits.archiveBytes else {
            throw CommandFailure(
                .badData, "\(file) is larger than a package may be.", type: "too-large")
        }
        return data
    }
}

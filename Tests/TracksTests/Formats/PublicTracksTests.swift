import Foundation
import Testing
import Tracks

/// The folder of the files.
private let folder = ProcessInfo.processInfo.environment["TRACKS"]

/// Reads files of other projects, which are not part of this one; see `make_track_counts.py`.
@Suite(.enabled(if: folder != nil, "set TRACKS to a folder of such files"))
struct PublicTracksTests {
    /// What other readers find in a file.
    private struct Counts {
        /// Points with a valid position.
        let points: Int
        /// The sum of their latitudes and longitudes in degrees.
        let sum: Double
    }

    /// By the name and size of a file.
    private static func counts() throws -> [String: Counts] {
        let url = try #require(
            Bundle.module.url(
                forResource: "track-counts", withExtension: "tsv", subdirectory: "Fixtures"))
        var counts: [String: Counts] = [:]
        for row in try String(contentsOf: url, encoding: .utf8).split(separator: "\n") {
            let cells = row.split(separator: "\t")
            counts["\(cells[0]) \(cells[1])"] = Counts(
                points: try #require(Int(cells[2])), sum: try #require(Double(cells[3])))
        }
        return counts
    }

    @Test func `points and positions are those that other readers find`() throws {
        let counts = try Self.counts()
        let folder = try #require(folder)
        let paths = try #require(FileManager.default.enumerator(atPath: folder)?.allObjects)
        var compared = 0
        for case let path as String in paths {
            guard let data = FileManager.default.contents(atPath: "\(folder)/\(path)") else {
                continue
            }
            let name = path.split(separator: "/").last ?? ""
            guard let wanted = counts["\(name) \(data.count)"] else { continue }
            compared += 1
            let file: TrackFile
            do {
                file = try TrackFile(Array(data), missingTimes: .everySecond)
            } catch {
                Issue.record("\(path): \(error)")
                continue
            }
            let fixes = file.tracks.flatMap(\.fixes)
            let untimed = file.remarks.reduce(0) { $0 + ($1.kind == .noTime ? $1.count : 0) }
            #expect(fixes.count + untimed == wanted.points, "\(path)")
            guard untimed == 0 else { continue }
            let sum = fixes.reduce(0.0) { $0 + $1.position.latitude + $1.position.longitude }
            // The rounding of the table, and of as many additions.
            #expect(abs(sum - wanted.sum) < 0.0001 + 1e-9 * Double(fixes.count), "\(path)")
        }
        #expect(compared > 0, "no file of track-counts.tsv is in \(folder)")
    }
}

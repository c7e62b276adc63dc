import Foundation
public import Tracks

/// Writes and reads workouts as one XML property list, an array with a dictionary for each.
///
/// What [an app of phones](https://developer.apple.com/documentation/foundation/propertylistencoder)
/// keeps can be read where its dictionaries have `startTime` and `endTime`; all else may be missing.
public enum WorkoutList {
    /// The most workouts of a file.
    public static let limit = 10_000

    /// The text of a file, for `application/x-plist`.
    public static func text(_ workouts: [Workout]) -> String {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        do {
            return String(
                decoding: try encoder.encode(workouts.map(WorkoutDocument.init)), as: UTF8.self)
        } catch {
            // Property lists hold every text and every number, and each is one of them.
            preconditionFailure("a workout that is no property list: \(error)")
        }
    }

    /// Reads all of a file, or nothing.
    ///
    /// - Throws: ``TrackError`` `.malformed` for what is no list of workouts, `.unsafe` for parts of
    ///   XML that no property list needs, `.tooLarge`, `.invalid` for a workout that cannot be.
    public static func workouts(
        _ bytes: [UInt8], limits: TrackLimits = TrackLimits()
    ) throws(TrackError) -> [Workout] {
        try PropertyListGuard(limits: limits).check(bytes)
        let documents: [WorkoutDocument]
        do {
            documents = try PropertyListDecoder().decode([WorkoutDocument].self, from: Data(bytes))
        } catch {
            throw TrackError(.malformed, "The file is not a property list of workouts.")
        }
        let points = documents.reduce(0) { sum, document in
            (document.segments ?? []).reduce(sum) { $0 + $1.count }
        }
        guard documents.count <= limit, points <= limits.points else {
            throw TrackError(.tooLarge, "The file has too many workouts or locations.")
        }
        var workouts: [Workout] = []
        for document in documents { workouts.append(try document.workout()) }
        guard Set(workouts.map(\.id)).count == workouts.count else {
            throw TrackError(.invalid, "Two workouts of the file have one identifier.")
        }
        return workouts
    }
}

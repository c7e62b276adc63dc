import GRDB
import Samples

/// What the store knows of its room and of what it let go.
struct Upkeep {
    var rules: RetentionRules
    /// Bytes that file and log may take.
    var budget: Int64
    /// The last arrival of a sample that is gone, by the row of its sensor.
    var purged: [Int64: Int64]
    /// The start of the hour up to which a rule of age was kept, by the row of the sensor.
    var agedThrough: [Int64: Timestamp] = [:]
    /// Making room for the budget goes on.
    var clearing: Task<Void, any Error>?
    /// Whether everything that was forgotten is gone from the files, too.
    var hasErased: Bool
    var isClosing = false
    /// Why the last maintenance could not do all of its work.
    var failure: String?
    let reserve: DiskReserve

    init(of file: SampleFile) async throws {
        do {
            try await file.recount()
            try await file.giveBackBlank()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
            // It goes when room is made, before any sample does; counts are put right the next time.
        }
        rules = try await file.rules()
        budget = try await file.budget()
        purged = try await file.purged()
        hasErased = try await !file.isErasureDue()
        try await file.limitLog(within: budget)
        reserve = DiskReserve(path: file.path + "-reserve", size: file.space.reserve)
    }
}

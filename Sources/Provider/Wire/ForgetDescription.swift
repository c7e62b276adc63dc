import Samples

/// What was forgotten of a sensor, as the API tells it.
public struct ForgetDescription: Codable, Sendable {
    public let sensor: String
    /// The ends of the range in milliseconds since 1970; not there where it was open.
    public let from: Double?
    public let to: Double?
    /// When it was forgotten.
    public let time: Double
    /// Samples that are gone.
    public let samples: Int
    /// Hours whose summary is gone.
    public let summaries: Int
    /// Samples that those summaries told of.
    public let summarised: Int
    /// Those of the hours that reach beyond the range; their summary went whole.
    public let hoursBeyond: Int
    /// Stretches of samples that could not be read, and went whole.
    public let unreadable: Int
    /// Bytes that all this took in the file.
    public let bytes: Int64
    /// Whether no file holds the bytes any more.
    public let erased: Bool
    /// What stays.
    public let kept: [String]

    init(_ receipt: ForgetReceipt) {
        sensor = receipt.sensor.description
        from = receipt.range.from == .distantPast ? nil : receipt.range.from.milliseconds
        to = receipt.range.to == .distantFuture ? nil : receipt.range.to.milliseconds
        time = receipt.time.milliseconds
        (samples, summaries) = (receipt.samples, receipt.summaries)
        (summarised, hoursBeyond) = (receipt.summarised, receipt.hoursBeyond)
        (unreadable, bytes, erased) = (receipt.unreadable, receipt.bytes, receipt.isErased)
        kept = ["access-log"]
    }
}

/// What was forgotten about an app, as the API tells it.
public struct AppForgetReceipt: Codable, Sendable {
    public let app: String
    /// Milliseconds since 1970.
    public let time: Double
    public let decisions: Int
    public let runs: Int
    /// Bytes that the app had kept for itself.
    public let stored: Int
    /// What stays.
    public let kept: [String]

    init(app: String, time: Double, decisions: Int, runs: Int, stored: Int) {
        (self.app, self.time, self.decisions, self.runs) = (app, time, decisions, runs)
        self.stored = stored
        kept = ["access-log", "app"]
    }
}

/// What one test told of itself.
struct TestReport: Codable, Sendable {
    /// Why a test failed.
    struct Failure: Codable, Sendable {
        let message: String
        /// Where in the test's file, such as `app.test.js:12:10`.
        var place: String?
        var actual: String?
        var expected: String?
        /// Where the two differ first, such as `.items[2]`.
        var at: String?
    }

    /// Tests of the file that were chosen.
    let total: Int
    /// `nil` when there is none at the place that was asked for.
    let name: String?
    /// `ok`, `failed` or `skipped`.
    let status: String?
    var failure: Failure?
    /// Of the test's own time.
    let milliseconds: Double
}

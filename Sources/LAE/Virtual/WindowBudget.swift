/// How much may still be computed for one question to a virtual sensor.
actor WindowBudget {
    /// The most windows that one question looks at.
    static let windowLimit = 100_000
    /// The most samples that one question reads singly, for percentiles and analyses.
    static let sampleLimit = 5_000_000

    private var windows: Int
    private var samples: Int

    init(windows: Int = windowLimit, samples: Int = sampleLimit) {
        self.windows = windows
        self.samples = samples
    }

    /// - Throws: `tooManyWindows`.
    func spend(windows count: Int) throws(LAEError) {
        windows -= count
        guard windows < 0 else { return }
        throw LAEError(
            .tooManyWindows,
            "The question reaches over more than \(Self.windowLimit) windows of a virtual sensor.",
            hint: "Ask for a shorter range, or page by page.")
    }

    /// - Throws: `tooManyRows`.
    func spend(samples count: Int) throws(LAEError) {
        samples -= count
        guard samples < 0 else { return }
        throw LAEError(
            .tooManyRows,
            "The question needs more than \(Self.sampleLimit) samples of the inputs of a virtual"
                + " sensor one by one.",
            hint: "Ask for a shorter range, or page by page.")
    }
}

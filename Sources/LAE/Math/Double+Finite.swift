extension Double {
    /// The number, or `nil` when it is an infinity or NaN.
    var finite: Double? { isFinite ? self : nil }
}

extension Double {
    /// The number, or `nil` when it is an infinity or NaN.
    public var finite: Double? { isFinite ? self : nil }
}

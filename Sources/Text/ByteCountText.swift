extension Double {
    /// This number of bytes in SI units, powers of 1000, such as `6.1 GB`.
    public var byteCountText: String {
        guard isFinite else { return "\(self) B" }
        var (rest, unit) = (magnitude, 0)
        let units = ["B", "kB", "MB", "GB", "TB", "PB"]
        while rest >= 1000, unit < units.count - 1 { (rest, unit) = (rest / 1000, unit + 1) }
        guard rest < 1e15 else { return "\(self) B" }
        let tenths = Int64((rest * 10).rounded())
        let fraction = tenths % 10 == 0 ? "" : ".\(tenths % 10)"
        return "\(self < 0 && tenths > 0 ? "-" : "")\(tenths / 10)\(fraction) \(units[unit])"
    }
}

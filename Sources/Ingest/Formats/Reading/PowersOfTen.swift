/// The powers of ten that a double holds exactly.
struct PowersOfTen: ~Copyable {
    static let largest = 22
    private let values: UnsafeMutablePointer<Double>

    init() {
        values = .allocate(capacity: Self.largest + 1)
        var power = 1.0
        for exponent in 0...Self.largest {
            values[exponent] = power
            power *= 10
        }
    }

    deinit { values.deallocate() }

    /// - Precondition: `exponent` is from 0 to `largest`.
    @inline(__always)
    subscript(exponent: Int) -> Double { values[exponent] }
}

/// Whole numbers in the order of the doubles, so that neighbours are one apart; both zeros are one.
enum OrderedKey {
    private static let sign: UInt64 = 1 << 63

    /// - Parameter number: not NaN.
    static func of(_ number: Double) -> UInt64 {
        // Adding 0 takes the sign off −0.
        let bits = (number + 0).bitPattern
        return bits & sign == 0 ? bits | sign : ~bits
    }

    static func number(_ key: UInt64) -> Double {
        Double(bitPattern: key & sign == 0 ? ~key : key & ~sign) + 0
    }
}

/// Short names that nobody can guess.
public enum RandomName {
    /// 16 lower-case hexadecimal digits, 64 random bits.
    public static func make() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

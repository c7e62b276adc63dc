/// How one number stands in the bytes of a scan.
///
/// Written `[be|le]:[s|u|f]bits/storagebits[Xrepeat][>>shift]`. Source: Documentation/ABI/testing/
/// sysfs-bus-iio, `scan_elements/…_type`.
struct ScanFormat: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case signed, unsigned, float
    }

    let isBigEndian: Bool
    let kind: Kind
    /// Bits that count.
    let bits: Int
    /// Bits that it takes, those beside the number included.
    let storageBits: Int
    /// How many such numbers stand one after the other; the first is read.
    let repetition: Int
    /// Bits below the number that do not count.
    let shift: Int

    /// - Returns: `nil` for a text of another form, and for one of numbers that fit no place.
    init?(_ text: String) {
        let form =
            /(be|le):([suf])([0-9]{1,3})\/([0-9]{1,3})(?:X([0-9]{1,3}))?(?:>>([0-9]{1,3}))?/
        guard let match = text.wholeMatch(of: form), let bits = Int(match.3),
            let storageBits = Int(match.4)
        else { return nil }
        isBigEndian = match.1 == "be"
        kind = match.2 == "s" ? .signed : match.2 == "u" ? .unsigned : .float
        self.bits = bits
        self.storageBits = storageBits
        repetition = match.5.flatMap { Int($0) } ?? 1
        shift = match.6.flatMap { Int($0) } ?? 0
        guard [8, 16, 32, 64].contains(storageBits), bits > 0, bits + shift <= storageBits,
            (1...64).contains(repetition)
        else { return nil }
        if kind == .float {
            guard [32, 64].contains(bits), bits == storageBits else { return nil }
        }
    }

    /// Bytes that it takes in a scan, and to whose multiples it is aligned.
    var length: Int { storageBits / 8 * repetition }

    /// The number at the beginning of some bytes.
    ///
    /// - Precondition: there are at least `length` bytes.
    func number(in bytes: ArraySlice<UInt8>) -> Double {
        switch kind {
        case .signed: Double(integer(in: bytes))
        case .unsigned: Double(pattern(in: bytes))
        case .float:
            bits == 32
                ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: pattern(in: bytes))))
                : Double(bitPattern: pattern(in: bytes))
        }
    }

    /// The same as a whole number, the sign spread to 64 bits.
    func integer(in bytes: ArraySlice<UInt8>) -> Int64 {
        let unused = 64 - bits
        let pattern = pattern(in: bytes)
        return kind == .signed
            ? Int64(bitPattern: pattern << unused) >> unused : Int64(bitPattern: pattern)
    }

    private func pattern(in bytes: ArraySlice<UInt8>) -> UInt64 {
        let own = bytes.prefix(storageBits / 8)
        let ordered = isBigEndian ? Array(own) : own.reversed()
        let whole = ordered.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> shift
        return bits == 64 ? whole : whole & (1 << bits - 1)
    }
}

/// The binary format of one number of a scan.
///
/// Written `[be|le]:[s|u|f]bits/storagebits[Xrepeat][>>shift]`. Source: Documentation/ABI/testing/
/// sysfs-bus-iio, `scan_elements/…_type`.
struct ScanFormat: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case signed, unsigned, float
    }

    let isBigEndian: Bool
    let kind: Kind
    /// Significant bits.
    let bits: Int
    /// Bits including padding.
    let storageBits: Int
    /// How many such numbers follow one another; only the first is read.
    let repetition: Int
    /// Padding bits below the number.
    let shift: Int

    /// - Returns: `nil` when `text` does not have that form, or its numbers are not consistent.
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

    /// Bytes in a scan, and the alignment.
    var length: Int { storageBits / 8 * repetition }

    /// Decodes the number at the beginning of some bytes.
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

    /// Decodes the number as an integer, sign-extended to 64 bits.
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

/// The offsets of the numbers of a scan.
///
/// Each is aligned to its own length, and the scan to the longest. Source: `iio_compute_scan_bytes`
/// in drivers/iio/industrialio-buffer.c.
struct ScanLayout: Hashable, Sendable {
    /// The offset of each number, in the order of the formats.
    let offsets: [Int]
    /// Bytes of one scan.
    let size: Int

    /// - Parameter formats: the formats of the enabled elements, in the order of their indexes.
    init(_ formats: [ScanFormat]) {
        var offsets: [Int] = []
        var end = 0
        for format in formats {
            end = Self.aligned(end, format.length)
            offsets.append(end)
            end += format.length
        }
        self.offsets = offsets
        size = Self.aligned(end, formats.map(\.length).max() ?? 1)
    }

    private static func aligned(_ offset: Int, _ length: Int) -> Int {
        (offset + length - 1) / length * length
    }
}

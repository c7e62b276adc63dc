/// Whole numbers of seven bits a byte, the lowest first; the highest bit says that another byte follows.
enum Varint {
    static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Takes a number off the beginning; `nil` for one cut short, beyond 64 bits or longer than it need be.
    static func next(_ bytes: inout Slice<UnsafeBufferPointer<UInt8>>) -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            let part = UInt64(byte & 0x7F)
            guard shift < 63 || part < 2 else { return nil }
            number |= part << shift
            if byte < 0x80 { return byte == 0 && shift > 0 ? nil : number }
        }
        return nil
    }
}

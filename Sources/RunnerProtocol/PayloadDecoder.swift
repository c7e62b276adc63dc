/// Reads the payload of one frame; no length in it is believed before it is checked.
public struct PayloadDecoder: Sendable {
    private var rest: ArraySlice<UInt8>

    init(_ payload: ArraySlice<UInt8>) {
        rest = payload
    }

    var isAtEnd: Bool { rest.isEmpty }

    public mutating func uint8() throws(FrameError) -> UInt8 { try integer() }
    public mutating func uint16() throws(FrameError) -> UInt16 { try integer() }
    public mutating func uint32() throws(FrameError) -> UInt32 { try integer() }
    public mutating func uint64() throws(FrameError) -> UInt64 { try integer() }

    public mutating func bytes() throws(FrameError) -> [UInt8] {
        let count = Int(try uint32())
        guard count <= rest.count else { throw .malformed("length") }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// - Throws: `malformed` when the bytes are not UTF-8.
    public mutating func string() throws(FrameError) -> String {
        guard let text = String(validating: try bytes(), as: UTF8.self) else {
            throw .malformed("UTF-8")
        }
        return text
    }

    public mutating func strings() throws(FrameError) -> [String] {
        let count = try count(atMost: FrameLimits.list)
        var list: [String] = []
        for _ in 0..<count { list.append(try string()) }
        return list
    }

    public mutating func headers() throws(FrameError) -> [HeaderField] {
        let count = try count(atMost: FrameLimits.headers)
        var list: [HeaderField] = []
        for _ in 0..<count { list.append(HeaderField(try string(), try string())) }
        return list
    }

    private mutating func count(atMost limit: Int) throws(FrameError) -> Int {
        let count = Int(try uint32())
        guard count <= limit else { throw .malformed("count") }
        return count
    }

    private mutating func integer<T: FixedWidthInteger>() throws(FrameError) -> T {
        let size = MemoryLayout<T>.size
        guard rest.count >= size else { throw .malformed("truncated") }
        defer { rest = rest.dropFirst(size) }
        return rest.prefix(size).reversed().reduce(0) { $0 << 8 | T($1) }
    }
}

import CZlib

/// Unpacks bodies that came as gzip (RFC 1952).
enum Gzip {
    /// Why bytes cannot be unpacked.
    enum Fault: Error, Hashable {
        case malformed, tooLarge
    }

    /// How many bytes deflate makes of one at most.
    private static let mostPacked = 1032

    /// The bytes of one member, and nothing after it.
    ///
    /// However much is packed into few bytes, no more than `limit` bytes are made of it.
    static func unpacked(_ packed: [UInt8], upTo limit: Int) throws(Fault) -> [UInt8] {
        var stream = z_stream()
        // 16 says that there is a header of gzip.
        let version = ZLIB_VERSION
        var packed = packed
        // One more than may be, to tell what is too much from what just fits.
        let room = min(limit, packed.count * mostPacked) + 1
        var output = [UInt8](repeating: 0, count: room)
        let (status, produced, left) = packed.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                withUnsafeMutablePointer(to: &stream) { stream in
                    inflate(stream, input, output, version)
                }
            }
        }
        guard produced <= limit else { throw .tooLarge }
        guard status == Z_STREAM_END, left == 0 else { throw .malformed }
        return Array(output.prefix(produced))
    }

    /// - Returns: how it ended, how many bytes were made and how many were not looked at.
    private static func inflate(
        _ stream: UnsafeMutablePointer<z_stream>, _ input: UnsafeMutableBufferPointer<UInt8>,
        _ output: UnsafeMutableBufferPointer<UInt8>, _ version: String
    ) -> (status: Int32, produced: Int, left: Int) {
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream, 16 + MAX_WBITS, version, size) == Z_OK else {
            return (Z_MEM_ERROR, 0, 0)
        }
        defer { inflateEnd(stream) }
        stream.pointee.next_in = input.baseAddress
        stream.pointee.avail_in = UInt32(clamping: input.count)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(clamping: output.count)
        let status = CZlib.inflate(stream, Z_FINISH)
        return (
            status, output.count - Int(stream.pointee.avail_out), Int(stream.pointee.avail_in)
        )
    }
}

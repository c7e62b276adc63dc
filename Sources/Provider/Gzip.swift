import CZlib

/// Compresses and decompresses gzip (RFC 1952).
enum Gzip {
    /// Why bytes cannot be decompressed.
    enum Fault: Error, Hashable {
        case malformed, tooLarge
    }

    /// The highest compression ratio of deflate.
    private static let maximumRatio = 1032
    /// Selects the header of gzip instead of that of zlib.
    private static let windowBits = 16 + MAX_WBITS

    /// Compresses data as one member, as well as deflate can; the same data is the same bytes again.
    ///
    /// - Returns: `nil` if there is not enough memory.
    static func compressed(_ content: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        var content = content
        return content.withUnsafeMutableBufferPointer { input in
            withUnsafeMutablePointer(to: &stream) { deflate($0, input) }
        }
    }

    /// - Returns: `nil` if there is not enough memory.
    private static func deflate(
        _ stream: UnsafeMutablePointer<z_stream>, _ input: UnsafeMutableBufferPointer<UInt8>
    ) -> [UInt8]? {
        let size = Int32(MemoryLayout<z_stream>.size)
        guard
            deflateInit2_(
                stream, Z_BEST_COMPRESSION, Z_DEFLATED, windowBits, MAX_MEM_LEVEL,
                Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
        else { return nil }
        defer { deflateEnd(stream) }
        stream.pointee.next_in = input.baseAddress
        stream.pointee.avail_in = UInt32(clamping: input.count)
        var output = [UInt8](
            repeating: 0, count: Int(deflateBound(stream, UInt(input.count))))
        let status = output.withUnsafeMutableBufferPointer { output in
            stream.pointee.next_out = output.baseAddress
            stream.pointee.avail_out = UInt32(clamping: output.count)
            return CZlib.deflate(stream, Z_FINISH)
        }
        guard status == Z_STREAM_END else { return nil }
        return Array(output.prefix(output.count - Int(stream.pointee.avail_out)))
    }

    /// Decompresses exactly one member.
    ///
    /// Never produces more than `limit` bytes, whatever the compression ratio.
    static func decompressed(_ packed: [UInt8], upTo limit: Int) throws(Fault) -> [UInt8] {
        var stream = z_stream()
        let version = ZLIB_VERSION
        var packed = packed
        // One byte more than the limit, to distinguish too much from just enough.
        let room = min(limit, packed.count * maximumRatio) + 1
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

    /// - Returns: the status, the bytes produced and the bytes left over.
    private static func inflate(
        _ stream: UnsafeMutablePointer<z_stream>, _ input: UnsafeMutableBufferPointer<UInt8>,
        _ output: UnsafeMutableBufferPointer<UInt8>, _ version: String
    ) -> (status: Int32, produced: Int, left: Int) {
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream, windowBits, version, size) == Z_OK else {
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

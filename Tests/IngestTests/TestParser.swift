import Samples

@testable import Ingest

/// Parses bytes, split into pieces of one size.
enum TestParser {
    static let now = Timestamp(microseconds: 1_700_000_000_000_000)
    static let axes = [Field("x", unit: "m/s2"), Field("y", unit: "m/s2")]
    /// One field of each kind.
    static let gauge = [
        Field("level", unit: "%"), Field("total", unit: "By", kind: .integer),
        Field("state", kind: .state), Field("note", kind: .text),
    ]

    static func samples(
        _ bytes: [UInt8], _ format: SampleFormat, of fields: [Field], piece: Int = 1 << 16,
        limit: Int = .max
    ) throws(SampleFault) -> SampleBatch {
        var parser = SampleParser(format, fields: fields, limit: limit, now: now, piece: piece)
        var fault: SampleFault?
        bytes.withUnsafeBytes { bytes in
            do throws(SampleFault) {
                try parser.read(bytes)
            } catch {
                fault = error
            }
        }
        if let fault { throw fault }
        return try parser.finish()
    }

    static func samples(
        _ text: String, _ format: SampleFormat, of fields: [Field] = axes, piece: Int = 1 << 16
    ) throws(SampleFault) -> SampleBatch {
        try samples(Array(text.utf8), format, of: fields, piece: piece)
    }

    /// The message of the parse error; empty if there is none.
    static func fault(
        _ bytes: [UInt8], _ format: SampleFormat, of fields: [Field] = axes, piece: Int = 1 << 16
    ) -> String {
        do throws(SampleFault) {
            _ = try samples(bytes, format, of: fields, piece: piece)
            return ""
        } catch {
            return "\(error.code == .malformed ? 400 : error.code == .unfit ? 422 : 413) \(error)"
        }
    }

    /// The complete output for some samples in a format.
    static func bytes(_ batch: SampleBatch, _ format: SampleFormat, of fields: [Field]) -> [UInt8] {
        var writer = SampleWriter(format, fields: fields)
        writer.begin()
        writer.write(batch, rows: batch.indices)
        let bytes = writer.take { Array($0) }
        guard format == .json else { return bytes }
        return [UInt8(ascii: "[")] + bytes + [UInt8(ascii: "]")]
    }
}

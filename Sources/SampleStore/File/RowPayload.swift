import Foundation
import Samples

/// The values of a sample as files had them before there were chunks: 8 little-endian bytes for a
/// number or an integer, a `UInt32` length and UTF-8 for text.
enum RowPayload {
    /// - Returns: `nil` when the bytes are not a sample with these fields.
    static func decode(_ bytes: Data, _ fields: [Field]) -> [Value]? {
        bytes.withUnsafeBytes { raw in
            var reader = ByteReader(raw)
            guard let values = try? fields.map({ try value($0.kind, &reader) }) else { return nil }
            return reader.rest.isEmpty ? values : nil
        }
    }

    private static func value(
        _ kind: Field.Kind, _ reader: inout ByteReader
    ) throws(ByteReader.Damage) -> Value {
        switch kind {
        case .number:
            let number = Double(bitPattern: try reader.integer())
            // Only finite numbers were ever accepted.
            guard number.isFinite else { throw ByteReader.Damage() }
            return .number(number)
        case .integer:
            return .integer(try reader.integer())
        case .state, .text:
            let length = Int(try reader.integer(UInt32.self))
            guard let text = String(validating: try reader.bytes(length), as: UTF8.self) else {
                throw ByteReader.Damage()
            }
            return .text(text)
        }
    }
}

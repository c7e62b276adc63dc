import Foundation
import Samples

/// The bytes of a sample's values: 8 little-endian bytes for a number or an integer, a `UInt32`
/// length and UTF-8 for text.
enum Payload {
    static func encode(_ values: [Value]) -> Data {
        var bytes = Data(capacity: values.count * 8)
        for value in values {
            switch value {
            case .number(let number): bytes.append(number.bitPattern)
            case .integer(let integer): bytes.append(UInt64(bitPattern: integer))
            case .text(let text):
                bytes.append(UInt32(clamping: text.utf8.count))
                bytes.append(contentsOf: text.utf8)
            }
        }
        return bytes
    }

    /// - Returns: `nil` when the bytes are not a sample with these fields.
    static func decode(_ bytes: Data, _ fields: [Field]) -> [Value]? {
        bytes.withUnsafeBytes { raw in
            var offset = 0
            func take<T: FixedWidthInteger>(_: T.Type) -> T? {
                let end = offset + MemoryLayout<T>.size
                guard end <= raw.count else { return nil }
                defer { offset = end }
                return T(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: T.self))
            }
            var values: [Value] = []
            values.reserveCapacity(fields.count)
            for field in fields {
                switch field.kind {
                case .number:
                    guard let bits = take(UInt64.self) else { return nil }
                    let number = Double(bitPattern: bits)
                    // Only finite numbers were ever accepted.
                    guard number.isFinite else { return nil }
                    values.append(.number(number))
                case .integer:
                    guard let bits = take(UInt64.self) else { return nil }
                    values.append(.integer(Int64(bitPattern: bits)))
                case .state, .text:
                    guard let length = take(UInt32.self), offset + Int(length) <= raw.count else {
                        return nil
                    }
                    let end = offset + Int(length)
                    let text = String(validating: raw[offset..<end], as: UTF8.self)
                    guard let text else { return nil }
                    values.append(.text(text))
                    offset = end
                }
            }
            return offset == raw.count ? values : nil
        }
    }
}

extension Data {
    fileprivate mutating func append(_ integer: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: integer.littleEndian) { append(contentsOf: $0) }
    }
}

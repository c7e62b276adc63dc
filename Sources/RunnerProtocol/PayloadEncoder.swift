/// Writes the payload of one frame.
public struct PayloadEncoder: Sendable {
    private var bytes: [UInt8] = [0, 0, 0, 0, 0]

    init() {}

    public mutating func write(_ integer: some FixedWidthInteger) {
        withUnsafeBytes(of: integer.littleEndian) { bytes.append(contentsOf: $0) }
    }

    public mutating func write(_ text: String) {
        write(UInt32(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    public mutating func write(_ blob: [UInt8]) {
        write(UInt32(blob.count))
        bytes.append(contentsOf: blob)
    }

    public mutating func write(_ list: [String]) {
        write(UInt32(list.count))
        for text in list { write(text) }
    }

    public mutating func write(_ headers: [HeaderField]) {
        write(UInt32(headers.count))
        for field in headers {
            write(field.name)
            write(field.value)
        }
    }

    consuming func framed(type: UInt8) -> [UInt8] {
        var frame = bytes
        withUnsafeBytes(of: UInt32(bytes.count - 4).littleEndian) { length in
            frame.replaceSubrange(0..<4, with: length)
        }
        frame[4] = type
        return frame
    }
}

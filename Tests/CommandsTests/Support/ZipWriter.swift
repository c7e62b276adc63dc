import Foundation

/// Writes ZIP archives of stored files with any names.
enum ZipWriter {
    static func write(_ files: [String: String], to path: String) throws {
        var archive = Data()
        var directory = Data()
        for (name, text) in files.sorted(by: { $0.key < $1.key }) {
            let content = Data(text.utf8)
            var common = Data()
            // Version 2.0, UTF-8 names, stored, 1980-01-01.
            for field: UInt16 in [20, 0x0800, 0, 0, 0x21] { common.append(field) }
            common.append(crc32(content))
            common.append(UInt32(content.count))
            common.append(UInt32(content.count))
            common.append(UInt16(name.utf8.count))
            common.append(UInt16(0))
            let offset = UInt32(archive.count)
            archive.append(UInt32(0x0403_4B50))
            archive += common
            archive += Data(name.utf8)
            archive += content
            directory.append(UInt32(0x0201_4B50))
            directory.append(UInt16(0x0314))
            directory += common
            for field: UInt16 in [0, 0, 0] { directory.append(field) }
            directory.append(UInt32(0o100644) << 16)
            directory.append(offset)
            directory += Data(name.utf8)
        }
        let start = UInt32(archive.count)
        archive += directory
        archive.append(UInt32(0x0605_4B50))
        for field: UInt16 in [0, 0, UInt16(files.count), UInt16(files.count)] {
            archive.append(field)
        }
        archive.append(UInt32(directory.count))
        archive.append(start)
        archive.append(UInt16(0))
        try archive.write(to: URL(filePath: path))
    }

    /// CRC-32 of ISO 3309, bit by bit.
    private static func crc32(_ data: Data) -> UInt32 {
        ~data.reduce(UInt32.max) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { value, _ in
                value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
            }
        }
    }
}

extension Data {
    fileprivate mutating func append(_ integer: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: integer.littleEndian) { append(contentsOf: $0) }
    }
}

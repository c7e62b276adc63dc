import Glibc
import Samples

/// A small text file of procfs or sysfs.
///
/// Bytes that are not UTF-8 read as U+FFFD, so that one odd name does not hide a whole table.
struct SystemFile: Hashable, Sendable {
    /// More than any sysfs attribute can hold, which is one page.
    static let attributeLimit = 64 * 1024
    /// Room for the procfs tables of a machine with a thousand cores, disks or mounts.
    static let tableLimit = 1024 * 1024

    let path: String

    init(_ path: String) {
        self.path = path
    }

    /// Whether the file exists; it may be unreadable.
    var exists: Bool { access(path, F_OK) == 0 }

    /// The whole contents.
    ///
    /// Does not block: a named pipe or a terminal without data is `unreadable` or empty.
    /// - Throws: `gone` when the file or its device does not exist, `malformed` when it holds more
    ///   than `limit` bytes, `unreadable` otherwise.
    func text(limit: Int = attributeLimit) throws(SensorError) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw failure(errno)
            }
            bytes.append(contentsOf: buffer[..<count])
            guard bytes.count <= limit else { throw malformed("is larger than \(limit) bytes") }
        }
    }

    /// Writes an attribute; an empty text clears it.
    ///
    /// - Throws: as `text`; also when the kernel rejects the value.
    func write(_ text: String) throws(SensorError) {
        let descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        let line = Array((text + "\n").utf8)
        let count = line.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count == line.count else { throw failure(count < 0 ? errno : EIO) }
    }

    /// The lines of a procfs table.
    func lines() throws(SensorError) -> [Substring] {
        try text(limit: Self.tableLimit).split(separator: "\n")
    }

    /// The only line of an attribute, without the white space around it.
    func line() throws(SensorError) -> String {
        String(try text().trimmedWhitespace)
    }

    /// The only number of an attribute.
    ///
    /// - Throws: `malformed` unless it is one finite number.
    func number() throws(SensorError) -> Double {
        guard let number = Double(try line()), number.isFinite else {
            throw malformed("does not contain a finite number")
        }
        return number
    }

    /// The only integer of an attribute.
    func integer() throws(SensorError) -> Int64 {
        guard let integer = Int64(try line()) else {
            throw malformed("does not contain a 64-bit integer")
        }
        return integer
    }

    /// A computed number as the value of a field.
    ///
    /// - Throws: `malformed` when the number is not finite.
    func value(_ number: Double) throws(SensorError) -> Value {
        guard number.isFinite else { throw malformed("has a number that is not finite") }
        return .number(number)
    }

    /// A temperature as the value of a field.
    ///
    /// - Throws: `malformed` below absolute zero and above 3000 °C, beyond any thermometer:
    ///   drivers answer with such numbers when they have no reading.
    func temperature(celsius: Double) throws(SensorError) -> Value {
        guard (-273.15...3000).contains(celsius) else {
            throw malformed("has an impossible temperature")
        }
        return .number(celsius)
    }

    /// The error for contents that the file's format does not allow; `what` follows the path.
    func malformed(_ what: String) -> SensorError {
        SensorError(.malformed, "\(path) \(what)")
    }

    /// The error for a system call on the path that ended with `number`.
    func failure(_ number: Int32) -> SensorError {
        let code: SensorError.Code =
            switch number {
            case ENOENT, ENODEV, ENXIO, ENOTDIR: .gone
            default: .unreadable
            }
        return SensorError(code, "\(path): \(String(cString: strerror(number)))")
    }
}

/// A folder of sysfs.
struct SystemFolder: Hashable, Sendable {
    let path: String

    init(_ path: String) {
        self.path = path
    }

    /// The names inside, shorter ones first, so that `zone2` comes before `zone10`; empty when the
    /// folder cannot be read.
    var names: [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
    }

    func file(_ name: String) -> SystemFile {
        SystemFile("\(path)/\(name)")
    }

    func folder(_ name: String) -> SystemFolder {
        SystemFolder("\(path)/\(name)")
    }

    /// The only line of an attribute; `nil` when it is missing, unreadable or empty.
    func line(_ name: String) -> String? {
        do throws(SensorError) {
            let line = try file(name).line()
            return line.isEmpty ? nil : line
        } catch {
            return nil
        }
    }
}

/// The words of one line of a procfs table.
struct TableRow {
    let words: [Substring]
    private let file: SystemFile

    init(_ line: Substring, of file: SystemFile) {
        words = line.split { $0 == " " || $0 == "\t" }
        self.file = file
    }

    /// The word at `index` as a counter.
    ///
    /// - Throws: `malformed` unless it is there and in `0...Int64.max`.
    func counter(_ index: Int) throws(SensorError) -> Int64 {
        guard words.indices.contains(index), let count = Int64(words[index]), count >= 0 else {
            throw file.malformed("lacks a counter in column \(index + 1)")
        }
        return count
    }

    /// The word at `index` as a number.
    ///
    /// - Throws: `malformed` unless it is there, finite and not negative.
    func number(_ index: Int) throws(SensorError) -> Double {
        guard words.indices.contains(index), let number = Double(words[index]),
            number.isFinite, number >= 0
        else {
            throw file.malformed("lacks a number in column \(index + 1)")
        }
        return number
    }
}

extension StringProtocol {
    /// The text without white space at its ends.
    var trimmedWhitespace: SubSequence {
        guard let first = firstIndex(where: { !$0.isWhitespace }),
            let last = lastIndex(where: { !$0.isWhitespace })
        else { return self[endIndex...] }
        return self[first...last]
    }

    /// The text for a title: at most 64 characters, none of them a control or a formatting one.
    ///
    /// Devices that anyone can plug in choose their names.
    var printable: String {
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(64) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                continue
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}

import Foundation
import Glibc
import Samples
import TestSupport
import Testing

@testable import VM

/// An accelerometer with a buffer in a fixture tree, and a pipe as its device node.
final class BufferTree {
    static let now = Timestamp(microseconds: 1_800_000_000_000_000)
    static let device = "sys/bus/iio/devices/iio:device3"

    let tree: FixtureTree
    /// Both ends of the pipe; keeping both open prevents end-of-file.
    private let pipe: Int32
    private let attributes: [String]

    /// - Parameter attributes: added to the standard attributes or replacing them.
    init(_ attributes: [String: String] = [:], hasNode: Bool = true) throws {
        tree = try FixtureTree()
        var all = [
            "name": "accel_3d", "in_accel_x_raw": "16", "in_accel_y_raw": "-32",
            "in_accel_z_raw": "1000", "in_accel_scale": "0.5", "in_accel_offset": "2",
            "in_accel_sampling_frequency": "10",
            "in_accel_sampling_frequency_available": "10 50 100 400",
            "buffer/enable": "0", "buffer/length": "2", "buffer/watermark": "1",
            "scan_elements/in_timestamp_en": "0", "scan_elements/in_timestamp_index": "4",
            "scan_elements/in_timestamp_type": "le:s64/64>>0", "scan_elements/in_incli_x_en": "1",
            "scan_elements/in_incli_x_index": "3", "scan_elements/in_incli_x_type": "le:s16/16>>0",
        ]
        for (index, axis) in ["x", "y", "z"].enumerated() {
            all["scan_elements/in_accel_\(axis)_en"] = axis == "z" ? "1" : "0"
            all["scan_elements/in_accel_\(axis)_index"] = "\(index)"
            all["scan_elements/in_accel_\(axis)_type"] = "le:s12/16>>4"
        }
        all.merge(attributes) { _, new in new }
        self.attributes = all.keys.sorted()
        for (name, text) in all { try tree.write(text + "\n", to: "\(Self.device)/\(name)") }
        try tree.write("", to: "dev/null")
        let node = tree.path("dev/iio:device3")
        guard hasNode else {
            pipe = -1
            return
        }
        #expect(mkfifo(node, 0o600) == 0)
        pipe = open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        #expect(pipe >= 0)
    }

    deinit { if pipe >= 0 { close(pipe) } }

    /// The current value of each attribute.
    func state() throws -> [String: String] {
        var state: [String: String] = [:]
        for name in attributes {
            state[name] = try SystemFile(tree.path("\(Self.device)/\(name)")).line()
        }
        return state
    }

    /// Makes bytes available for reading from the device.
    func send(_ bytes: [UInt8]) {
        let count = bytes.withUnsafeBytes { Glibc.write(pipe, $0.baseAddress, $0.count) }
        #expect(count == bytes.count)
    }

    /// A scan of three axes of 12 bits and a timestamp, with nonzero padding bits.
    static func scan(_ x: Int16, _ y: Int16, _ z: Int16, nanoseconds: Int64) -> [UInt8] {
        let axes = [x, y, z].flatMap { axis -> [UInt8] in
            let word = UInt16(bitPattern: axis << 4) | 0xB
            return [UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 8)]
        }
        let time = (0..<8).map { UInt8(truncatingIfNeeded: nanoseconds >> (8 * Int64($0))) }
        return axes + [0xEE, 0xEE] + time
    }

    func reader() throws -> any BufferedReader {
        let reader = try Discovery(IIODriver(roots: tree.roots)).reader("accelerometer")
        return try #require(reader as? any BufferedReader)
    }

    func capture(every interval: Duration = .milliseconds(10)) throws -> (any SampleCapture)? {
        try reader().capture(every: interval, time: ManualTime(at: Self.now))
    }
}

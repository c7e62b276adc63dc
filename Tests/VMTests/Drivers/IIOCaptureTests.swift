import Foundation
import Glibc
import Samples
import Testing

@testable import VM

/// Samples captured in the buffer of an IIO device, read in blocks.
struct IIOCaptureTests {
    private static func nanoseconds(_ milliseconds: Int64) -> Int64 {
        BufferTree.now.microseconds * 1000 + milliseconds * 1_000_000
    }

    @Test func `a captured block has the same numbers as reads, with the times of the device`()
        throws
    {
        let matrix = ["in_mount_matrix": "0, 1, 0; -1, 0, 0; 0, 0, 1"]
        let buffer = try BufferTree(matrix)
        var reader: any SampleReader = try buffer.reader()
        let asked = try #require(try reader.read())
        let capture = try #require(try buffer.capture())
        buffer.send(
            BufferTree.scan(16, -32, 1000, nanoseconds: Self.nanoseconds(-20))
                + BufferTree.scan(-2048, 2047, 0, nanoseconds: Self.nanoseconds(-10)))
        let samples = try capture.next()
        #expect(
            samples.map(\.time) == [-20_000, -10_000].map(BufferTree.now.advanced))
        #expect(
            samples.map(\.values) == [asked, [2049, 2046, 2].map { .number($0 / 2) }])
        #expect(samples[0].values == [.number(-15), .number(-9), .number(501)])
        capture.end()
    }

    @Test func `the device is configured for a capture and restored afterwards`() throws {
        let buffer = try BufferTree()
        let before = try buffer.state()
        let capture = try #require(try buffer.capture())
        let during = try buffer.state()
        for (name, text) in [
            "scan_elements/in_accel_x_en": "1", "scan_elements/in_accel_y_en": "1",
            "scan_elements/in_accel_z_en": "1", "scan_elements/in_timestamp_en": "1",
            "scan_elements/in_incli_x_en": "0", "buffer/enable": "1", "buffer/watermark": "10",
            "buffer/length": "40", "in_accel_sampling_frequency": "100",
        ] { #expect(during[name] == text, "\(name)") }
        capture.end()
        #expect(try buffer.state() == before)
        #expect(before != during)
    }

    @Test(arguments: [
        (["trigger/current_trigger": ""], "accel_3d-dev3"),
        (["trigger/current_trigger": "sysfstrig0"], "sysfstrig0"),
    ])
    func `a device without a trigger uses its own during a capture`(
        attributes: [String: String], during: String
    ) throws {
        let buffer = try BufferTree(attributes)
        try buffer.tree.write("accel_3d-dev3\n", to: "sys/bus/iio/devices/trigger0/name")
        let before = try buffer.state()
        let capture = try #require(try buffer.capture())
        #expect(try buffer.state()["trigger/current_trigger"] == during)
        capture.end()
        #expect(try buffer.state() == before)
    }

    @Test(arguments: [
        (["scan_elements/in_accel_y_type": "le:q16/16"], "is not a format"),
        (["scan_elements/in_accel_y_index": "x"], "64-bit integer"),
        (["trigger/current_trigger": ""], "names no trigger"),
        (["buffer/length": "many"], "finite number"),
    ])
    func `a capture that cannot start leaves the device unchanged and reports the reason`(
        attributes: [String: String], reason: String
    ) throws {
        let buffer = try BufferTree(attributes)
        let before = try buffer.state()
        let error = #expect(throws: SensorError.self) { _ = try buffer.capture() }
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        #expect(try buffer.state() == before)
    }

    @Test(
        .enabled(if: geteuid() != 0, "root may open everything"),
        arguments: ["dev/iio:device3", "\(BufferTree.device)/buffer/enable"])
    func `a permission error suggests a remedy`(path: String) throws {
        let buffer = try BufferTree()
        chmod(buffer.tree.path(path), 0)
        let error = #expect(throws: SensorError.self) { _ = try buffer.capture() }
        #expect(error?.message.contains("Permission denied; a udev rule gives a group") == true)
    }

    @Test(
        arguments: [
            ["buffer/enable": nil], ["scan_elements/in_accel_z_en": nil],
            ["in_anglvel_x_raw": "1", "in_anglvel_scale": "1"],
        ] as [[String: String?]])
    func `a device without an element for each axis, or with two kinds, cannot capture`(
        changes: [String: String?]
    ) throws {
        let buffer = try BufferTree(changes.compactMapValues { $0 })
        for (name, text) in changes where text == nil {
            try buffer.tree.remove("\(BufferTree.device)/\(name)")
        }
        #expect(try buffer.capture() == nil)
    }

    @Test func `a buffer that was left enabled is taken over`() throws {
        let buffer = try BufferTree(["buffer/enable": "1"])
        let capture = try #require(try buffer.capture())
        #expect(try buffer.state()["buffer/enable"] == "1")
        capture.end()
        #expect(try buffer.state()["buffer/enable"] == "0")
    }

    @Test func `a scan can arrive in parts, and a removed device is reported`() throws {
        let buffer = try BufferTree()
        let capture = try #require(try buffer.capture())
        let scan = BufferTree.scan(1, 2, 3, nanoseconds: Self.nanoseconds(0))
        buffer.send(Array(scan[..<5]))
        #expect(try capture.next().isEmpty)
        buffer.send(Array(scan[5...]) + scan[..<1])
        #expect(try capture.next().map(\.time) == [BufferTree.now])
        // No data is not an error.
        #expect(try capture.next().isEmpty)
        capture.end()
        #expect(try capture.next().isEmpty)

        let ended = try BufferTree(hasNode: false)
        try ended.tree.write(Data(scan), to: "dev/iio:device3")
        let short = try #require(try ended.capture())
        #expect(try short.next().count == 1)
        let error = #expect(throws: SensorError.self) { _ = try short.next() }
        #expect(error?.code == .gone)
        short.end()
    }

    @Test(arguments: [(10, 9), (20, 5), (2, 9)])
    func `samples that arrive before the interval are dropped`(wanted: Int64, count: Int) throws {
        let buffer = try BufferTree(["in_accel_sampling_frequency_available": "[10 1 400]"])
        let capture = try #require(try buffer.capture(every: .milliseconds(wanted)))
        for step in Int64(0)..<9 {
            // Alternately a tenth of the interval too early and too late.
            let time = Self.nanoseconds(step * 10 - 100) + (step % 2 == 0 ? -500_000 : 500_000)
            buffer.send(BufferTree.scan(1, 2, 3, nanoseconds: time))
        }
        #expect(try capture.next().count == count)
        capture.end()
    }

    @Test func `without a plausible timestamp the last sample of a block has the current time`()
        throws
    {
        let buffer = try BufferTree()
        let capture = try #require(try buffer.capture())
        buffer.send(
            BufferTree.scan(1, 2, 3, nanoseconds: 0) + BufferTree.scan(1, 2, 3, nanoseconds: .max))
        #expect(
            try capture.next().map(\.time) == [-10_000, 0].map(BufferTree.now.advanced))
        capture.end()
    }
}

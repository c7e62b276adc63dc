import Glibc
import SampleStore
import Samples

/// What the process does with a store while a test watches what it prints.
enum Scenario {
    static let sensor: SensorID = "written"
    static let fields = [Field("n", kind: .integer), Field("note", kind: .text)]

    /// One whole line, at once: the process may be killed after any.
    static func report(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }

    /// Appends for ever, and prints each arrival number that was acknowledged.
    static func append(to path: String) async throws {
        let store = try await SampleStore(path: path)
        try await store.register(sensor, fields: fields)
        report("open")
        while true {
            for size in [1, 7, 40] { try await add(size, "short", to: store) }
            try await store.flush()
            report("\(await store.status.acknowledged)")
        }
    }

    /// Fills the disk that the folder is on beside a store, and makes room again.
    static func fill(folder: String) async throws {
        let path = folder + "/samples.sqlite"
        var store = try await SampleStore(path: path)
        try await store.register(sensor, fields: fields)
        try await add(100, "before", to: store)
        try await store.flush()
        let ballast = folder + "/ballast"
        occupy(ballast)
        try await add(2000, String(repeating: "x", count: 500), to: store)
        for _ in 0..<2 {
            do {
                try await store.flush()
                report("flushed")
            } catch {
                report(error.code == .full ? "full" : "error \(error)")
            }
        }
        try await add(10, "while full", to: store)
        report("status \(await store.status.buffered) \(await store.status.failure != nil)")
        report("read \(try await count(store))")
        unlink(ballast)
        try await store.flush()
        report("status \(await store.status.buffered) \(await store.status.failure != nil)")
        try await store.close()
        store = try await SampleStore(path: path)
        try await store.register(sensor, fields: fields)
        report("kept \(try await count(store)) \(await store.lastSequence)")
    }

    static func add(_ count: Int, _ note: String, to store: SampleStore) async throws {
        let last = await store.lastSequence
        let samples = (1...Int64(count)).map { number in
            Sample(
                time: Timestamp(microseconds: last + number),
                values: [.integer(last + number), .text(note)])
        }
        try await store.append(samples, to: sensor)
    }

    static func count(_ store: SampleStore) async throws -> Int {
        try await store.samples(SampleQuery(sensor: sensor, limit: .max)).count
    }

    static func occupy(_ path: String) {
        let descriptor = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        let block = [UInt8](repeating: 1, count: 4096)
        while write(descriptor, block, block.count) > 0 {}
        close(descriptor)
    }
}

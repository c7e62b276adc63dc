import Glibc
import SampleStore
import Samples

extension Scenario {
    /// Appends and prunes in an endless loop, and prints each acknowledged sequence number.
    static func purge(path: String) async throws {
        let store = try await SampleStore(path: path)
        try await store.register(sensor, fields: fields)
        try await store.maintenance.setRule(RetentionRule(bytes: 1), for: sensor)
        report("open")
        while true {
            try await addHours(40_000, to: store)
            try await store.flush()
            report("\(await store.status.acknowledged)")
            try await store.maintenance.run(at: .now())
        }
    }

    /// Appends samples every 90 ms: 20 000 of them cover half an hour.
    private static func addHours(_ count: Int64, to store: SampleStore) async throws {
        let last = await store.lastSequence
        let numbers = last + 1...last + count
        try await store.append(
            SampleBatch(
                times: numbers.map { Timestamp(microseconds: $0 * 90_000) },
                columns: [
                    .integers(numbers.map { $0 &* 0x1E37_79B9_7F4A_7C15 }),
                    .texts(numbers.map { _ in "" }),
                ]), to: sensor)
    }

    /// Fills the disk with another file, and prunes samples of the store.
    static func purgeOnFullDisk(folder: String) async throws {
        let store = try await SampleStore(path: folder + "/samples.sqlite")
        try await store.register(sensor, fields: fields)
        try await store.maintenance.setBudget(48 << 20)
        for _ in 0..<20 {
            try await addHours(40_000, to: store)
            try await store.flush()
        }
        try await store.maintenance.run(at: .now())
        report("before \(try await count(store))")
        occupy(folder + "/ballast")
        var isFull = false
        while !isFull {
            try await addHours(40_000, to: store)
            do { try await store.flush() } catch { isFull = error.code == .full }
        }
        report("full \(await store.status.failure != nil)")
        try await store.maintenance.setRule(RetentionRule(bytes: 1 << 20), for: sensor)
        try await store.maintenance.run(at: .now())
        try await store.flush()
        try await addHours(40_000, to: store)
        try await store.flush()
        let status = await store.status
        report("resumed \(status.buffered) \(status.failure == nil) \(status.dropped)")
        let storage = try await store.maintenance.report(at: .now()).sensors[0]
        report("all \(storage.samples + storage.summarised == status.accepted)")
        try await store.close()
        report("faults \(try await SampleStore.faults(inFile: folder + "/samples.sqlite"))")
    }
}

import Glibc
import SampleStore
import Samples

/// The operations on a store that this process can perform; it prints the results for the test.
enum Scenario {
    static let sensor: SensorID = "written"
    static let fields = [Field("n", kind: .integer), Field("note", kind: .text)]

    /// Without a reserve, so that a full disk causes an error immediately.
    private static let noReserve = SpaceRules(reserve: 0)

    /// Prints a line with one `write`, because the process may be killed at any time.
    static func report(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }

    /// Limits so low that most appends seal chunks and form groups.
    private static let smallRules = {
        var rules = ChunkRules(chunkSize: 100, unsealedRows: 4, groupSize: 3, rewrites: 2)
        rules.rowBytes = ChunkRules.standard.rowBytes
        return rules
    }()

    /// Appends samples, and prints each acknowledged sequence number.
    ///
    /// - Parameter rounds: the number of repetitions; unlimited by default.
    static func append(to path: String, isSmall: Bool, rounds: Int = .max) async throws {
        let store = try await SampleStore(path: path, rules: isSmall ? smallRules : .standard)
        try await store.register(sensor, fields: fields)
        report("open")
        for _ in 0..<rounds {
            for size in [1, 7, 40] { try await add(size, "short", to: store) }
            try await store.flush()
            report("\(await store.status.acknowledged)")
        }
        try await store.close()
    }

    /// Appends samples to the journal, and prints each acknowledged sequence number.
    ///
    /// - Parameter rounds: the number of repetitions; unlimited by default.
    static func appendToJournal(of path: String, rounds: Int = .max) async throws {
        let store = try await SampleStore(path: path, rules: smallRules)
        try await store.register(sensor, fields: fields)
        report("open")
        for _ in 0..<rounds {
            // The texts cannot be compressed, so that the journal is full after some rounds.
            for size in [1, 7, 40] { try await add(size, noise(100), to: store) }
            try await store.flushToJournal()
            report("\(await store.status.acknowledged)")
        }
        try await store.close()
    }

    /// Appends samples, and prints for each last sequence number whether it was synced.
    static func appendForPowerCut(to path: String) async throws {
        let store = try await SampleStore(path: path)
        try await store.register(sensor, fields: fields)
        for _ in 0..<60 {
            try await add(3, "power", to: store)
            let last = await store.lastSequence
            do {
                try await store.flush(.synced)
                report("kept \(last)")
            } catch {
                report("not kept \(last)")
            }
        }
        report("read \(try await count(store))")
    }

    /// Opens a store, which migrates its schema.
    static func open(_ path: String) async throws {
        let store = try await SampleStore(path: path)
        try await store.close()
        report("opened")
    }

    /// Fills the disk with samples, while chunks are sealed, and then frees space.
    static func pack(folder: String) async throws {
        let path = folder + "/samples.sqlite"
        var store = try await SampleStore(path: path, rules: smallRules, space: noReserve)
        try await store.register(sensor, fields: fields)
        occupy(folder + "/ballast", leaving: 300_000)
        var failures = 0
        for _ in 0..<400 {
            try await add(25, noise(100), to: store)
            do { try await store.flush() } catch { failures += error.code == .full ? 1 : 1000 }
        }
        let last = await store.lastSequence
        report("full \((1..<400).contains(failures)) \(try await count(store) == last)")
        unlink(folder + "/ballast")
        try await store.flush()
        report("read \(try await count(store)) \(await store.status.acknowledged)")
        try await store.close()
        let faults = try await SampleStore.faults(inFile: path)
        store = try await SampleStore(path: path, rules: smallRules, space: noReserve)
        try await store.register(sensor, fields: fields)
        report("kept \(try await count(store)) \(await store.lastSequence) \(faults)")
    }

    /// Fills the disk with another file, writes to the store, and then frees space.
    static func fill(folder: String) async throws {
        let path = folder + "/samples.sqlite"
        var store = try await SampleStore(path: path, rules: .standard, space: noReserve)
        try await store.register(sensor, fields: fields)
        try await add(100, "before", to: store)
        try await store.flush()
        let ballast = folder + "/ballast"
        occupy(ballast)
        try await add(2000, noise(500), to: store)
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
        store = try await SampleStore(path: path, rules: .standard, space: noReserve)
        try await store.register(sensor, fields: fields)
        report("kept \(try await count(store)) \(await store.lastSequence)")
    }

    /// Fills the disk before a journal is recovered, and then frees space.
    static func fillBeforeRecovery(folder: String) async throws {
        let path = folder + "/samples.sqlite"
        // It is not closed, as after a crash.
        let first = try await SampleStore(path: path, rules: .standard, space: noReserve)
        try await first.register(sensor, fields: fields)
        try await add(100, "before", to: first)
        try await first.flushToJournal()
        report("kept \(await first.status.acknowledged)")
        let ballast = folder + "/ballast"
        occupy(ballast)
        let store = try await SampleStore(path: path, rules: .standard, space: noReserve)
        try await store.register(sensor, fields: fields)
        report("read \(try await count(store))")
        try await add(10, "while full", to: store)
        do {
            try await store.flushToJournal()
            report("flushed")
        } catch {
            report(error.code == .full ? "full" : "error \(error)")
        }
        report("read \(try await count(store))")
        unlink(ballast)
        try await store.flushToJournal()
        report("read \(try await count(store))")
        let kept = try await count(store)
        try await store.close()
        report("kept \(kept) \(try await SampleStore.faults(inFile: path))")
        // A full disk has no room for the files that are created with the first connection.
        withExtendedLifetime(first) {}
    }

    static func add(_ count: Int, _ note: String, to store: SampleStore) async throws {
        try await add(count, { _ in note }, to: store)
    }

    private static func add(
        _ count: Int, _ note: (Int64) -> String, to store: SampleStore
    ) async throws {
        let last = await store.lastSequence
        let samples = (1...Int64(count)).map { number in
            Sample(
                time: Timestamp(microseconds: last + number),
                values: [.integer(last + number), .text(note(number))])
        }
        try await store.append(samples, to: sensor)
    }

    static func count(_ store: SampleStore) async throws -> Int {
        try await store.samples(SampleQuery(sensor: sensor, limit: .max)).count
    }

    /// Random texts, which cannot be compressed.
    private static func noise(_ length: Int) -> (Int64) -> String {
        { _ in String(decoding: (0..<length).map { _ in UInt8.random(in: 97...122) }, as: UTF8.self)
        }
    }

    static func occupy(_ path: String, leaving room: Int = 0) {
        let descriptor = Glibc.open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        let block = [UInt8](repeating: 1, count: 4096)
        var size = 0
        while write(descriptor, block, block.count) > 0 { size += block.count }
        ftruncate(descriptor, max(0, size - room))
        close(descriptor)
    }
}

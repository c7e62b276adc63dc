import Logging
import SampleStore
import Samples

extension VirtualMachine {
    /// The longest that an accepted sample waits for the file.
    static let flushInterval = Duration.milliseconds(500)

    /// Collects until the task is cancelled, then acknowledges what was accepted.
    public func collect() async {
        isCollecting = true
        for id in sensors.keys { restart(id) }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.keepFlushing() }
            group.addTask { await self.keepDiscovering() }
        }
        isCollecting = false
        for id in sensors.keys { restart(id) }
        // Devices are left as they were found.
        for closing in sensors.values.compactMap(\.closing) { await closing.value }
        await flush()
        await maintenance?.value
    }

    /// Reads every sensor that is on once, without waiting for its next turn.
    ///
    /// For a person who asks while nothing collects; rates are taken over 200 ms.
    public func collectOnce() async {
        var readers: [(SensorID, Int, any SampleReader)] = []
        for (id, known) in sensors where level(of: id) != .off {
            if case .polled(let reader) = known.availability {
                readers.append((id, known.generation, reader))
            }
        }
        // Reads wait in system calls, so not on a thread that others need.
        await Task(executorPreference: executor) { await self.readTwice(readers) }.value
        await flush()
    }

    // MARK: - Private

    nonisolated func keepFlushing() async {
        while (try? await time.sleep(Self.flushInterval)) != nil {
            await flush()
            await maintainIfDue()
        }
    }

    private func flush() async {
        do {
            try await store.flush()
        } catch {
            report(error)
        }
    }

    func report(_ error: SampleStoreError) {
        logger.error("\(error.message)")
    }
}

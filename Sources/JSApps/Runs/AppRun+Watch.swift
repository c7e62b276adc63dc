import RunnerProtocol

extension AppRun {
    /// The longest and the shortest time between two looks.
    private static let rests = Duration.milliseconds(50)...Duration.seconds(5)
    /// The threads that a runner computes with, at most.
    private static let threads = 2

    /// Looks at intervals what the process has used and whether its event loop still turns.
    ///
    /// The less is left of a budget, the sooner it looks again.
    func watch() async {
        let budget = configuration.budget
        let start = ContinuousClock.now
        var meter = ProcessorMeter(limit: budget.cpuPerMinute)
        var nextPing = start
        var due = start
        while !Task.isCancelled, verdict == nil {
            let now = ContinuousClock.now
            var rest = nextPing - now
            if let used = look() {
                guard meter.add(used, at: now) else { return end(.exceeded(.cpuPerMinute)) }
                rest = min(rest, meter.room / Self.threads)
            }
            if let duration = budget.duration {
                let left = start + duration - now
                guard left > .zero else { return end(.exceeded(.duration)) }
                rest = min(rest, left)
            }
            let patience = budget.turn + configuration.patience
            if isAnswered, now >= nextPing {
                ping()
                nextPing = now + Self.rests.upperBound
                due = now + patience
            } else if !isAnswered {
                // Its answer may stand behind what the reader, or a call that ends, holds up.
                if isHeld { due = now + patience }
                guard now < due else { return end(.unresponsive) }
                rest = min(rest, due - now)
            }
            let wait = min(max(rest, Self.rests.lowerBound), Self.rests.upperBound)
            try? await Task.sleep(for: wait)
        }
    }

    /// - Returns: the processor time that was used; `nil` when the process has ended.
    private func look() -> Duration? {
        guard let now = process.usage() else { return nil }
        usage.cpu = now.cpu
        usage.memory = max(usage.memory, now.memory)
        return now.cpu
    }

    private func ping() {
        // A runner that does not read must not stop the watch, nor let questions pile up.
        guard !isPingUnsent else { return isAnswered = false }
        lastPing &+= 1
        isAnswered = false
        isPingUnsent = true
        let number = lastPing
        Task {
            _ = await send(.ping(number))
            isPingUnsent = false
        }
    }
}

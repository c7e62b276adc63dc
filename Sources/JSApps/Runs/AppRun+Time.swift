import RunnerProtocol

extension AppRun {
    /// When something happens, for what is counted by the minute.
    var instant: ContinuousClock.Instant {
        configuration.time == nil ? .now : told.began + told.passed
    }

    /// The runner has nothing to do before `next`, nanoseconds after the start.
    func noteIdleness(heard: UInt64, next: UInt64?) {
        guard configuration.time != nil, heard <= told.sent else {
            return end(.protocolViolation("an idleness that it cannot have"))
        }
        told.idle = (heard, next)
        moveOn()
    }

    /// Waits until the calls before this one have been answered; not at all where time passes by
    /// itself.
    func awaitTurn(_ id: UInt32) async {
        guard configuration.time != nil else { return }
        await withCheckedContinuation { told.wait(id, $0)?.resume() }
    }

    /// Lets the next call go on: this one was answered, or what is left of it is a stream.
    ///
    /// - Parameter isWhole: whether nothing is left of it.
    func endTurn(_ id: UInt32, isWhole: Bool = false) {
        guard configuration.time != nil else { return }
        if isWhole { told.streams.remove(id) }
        for turn in told.leave(id) { turn.resume() }
        moveOn()
    }

    /// Lets go of everything that waits, at the end of the run.
    func endTime() async {
        told.movement?.cancel()
        for turn in told.leaveAll() { turn.resume() }
        await told.movement?.value
    }

    /// Lets time pass where the app has nothing to do.
    private func moveOn() {
        guard let time = configuration.time, verdict == nil, !told.isMoving,
            told.isAtRest(calls.keys), let idle = told.idle
        else { return }
        told.isMoving = true
        told.movement = Task(executorPreference: executor) {
            await self.move(time, next: idle.next)
            await self.endMovement()
        }
    }

    private func endMovement() {
        told.isMoving = false
        told.next()?.resume()
        moveOn()
    }

    /// One step: to what the app waits for, or to a sample that a stream waits for.
    private func move(_ time: any RunTime, next: UInt64?) async {
        let before = told.sent
        await time.catchUp()
        // What a stream has said, or asked for, comes before the time.
        guard told.sent == before, told.isAtRest(calls.keys), verdict == nil else { return }
        do {
            let deadline = next.map { time.start + Int64(clamping: ($0 + 999) / 1000) }
            guard let moment = try await time.advance(to: deadline) else {
                // Nothing will ever come: the run ends as if nothing were left to wait for.
                _ = await send(.lifetime(0))
                return
            }
            let passed = max(0, moment.microseconds - time.start)
            told.passed = .microseconds(passed)
            _ = await send(
                .advance(to: UInt64(passed) * 1000, fires: moment.isDeadline))
            if !moment.isDeadline { await time.catchUp() }
        } catch is CancellationError {
            // The run ends, and that tells how.
        } catch {
            end(.failedToStart("Its time could not go on: \(error)"))
        }
    }
}

public import Tracks

extension Route {
    /// What became of a measurement.
    public enum Outcome: Hashable, Sendable {
        /// It is a point, so many metres from the last; zero for the first of a segment.
        case kept(metres: Double)
        case discarded(RouteDiscard)
    }

    /// Takes the newest measurement of a batch; the others are counted as superseded.
    ///
    /// - Returns: `nil` of an empty batch, which is counted.
    @discardableResult
    public mutating func take(_ batch: [Fix], at now: Duration) -> Outcome? {
        guard let newest = Fix.newest(of: batch) else {
            emptyBatches += 1
            return nil
        }
        if batch.count > 1 { discarded[.superseded, default: 0] += batch.count - 1 }
        return take(newest, at: now)
    }

    /// Takes a measurement by the rules.
    ///
    /// One that does not say how accurate it is passes the rules on accuracy.
    @discardableResult
    public mutating func take(_ fix: Fix, at now: Duration) -> Outcome {
        let outcome = judge(fix, tick(now))
        switch outcome {
        case .kept(let metres):
            segments[segments.count - 1].append(RoutePoint(fix))
            pointCount += 1
            measured += metres
            if metres > rules.jumpDistance { jumps += 1 }
        case .discarded(let reason): discarded[reason, default: 0] += 1
        }
        return outcome
    }

    /// The receiver says that it does not know where it is.
    public mutating func loseSignal(at now: Duration) {
        _ = tick(now)
        (received, shownAccuracy, accuracy) = (nil, nil, nil)
    }

    /// Counts a silence that has become too long, measured from the last signal.
    mutating func noteSilence(_ now: Duration) {
        if now - heard > rules.signalLoss { signalLosses += 1 }
        heard = now
    }

    /// Whether a measurement follows those before.
    ///
    /// Ones that go on in order from an earlier time for 5 s are believed: the receiver's clock was
    /// put right, and one measurement from the future would end the route otherwise.
    private mutating func isNext(_ fix: Fix, _ now: Duration) -> Bool {
        guard let newest, fix.time <= newest else {
            earlier = nil
            return true
        }
        guard let run = earlier, fix.time > run.time else {
            earlier = EarlierRun(since: now, time: fix.time)
            return false
        }
        guard now - run.since < rules.clockCorrection else {
            earlier = nil
            return true
        }
        earlier = EarlierRun(since: run.since, time: fix.time)
        return false
    }

    private mutating func judge(_ fix: Fix, _ now: Duration) -> Outcome {
        guard state == .active else { return .discarded(.notActive) }
        guard entered == nil else { return .discarded(.manualDistance) }
        guard isNext(fix, now) else { return .discarded(.stale) }
        newest = fix.time
        (received, shownAccuracy) = (now, fix.accuracy)
        let isAccurate = rules.accuracy.accepts(fix)
        // What is too inaccurate to count leaves a hole in the route as silence does.
        if isAccurate { noteSilence(now) }
        if now - began < rules.warmUp { return .discarded(.warmingUp) }
        guard isAccurate else { return .discarded(.inaccurate) }
        let before = accuracy
        accuracy = fix.accuracy
        if let before, let current = fix.accuracy, current > before {
            return .discarded(.worseAccuracy)
        }
        guard pointCount < rules.pointLimit else { return .discarded(.full) }
        guard let last = segments.last?.last else { return .kept(metres: 0) }
        let metres = last.fix.position.distance(to: fix.position)
        if metres < rules.minimumDistance { return .discarded(.tooNear) }
        if let current = fix.accuracy, current > metres {
            return .discarded(.accuracyBeyondDistance)
        }
        return .kept(metres: metres)
    }
}

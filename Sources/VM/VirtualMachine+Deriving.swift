import SampleStore
import Samples

extension VirtualMachine {
    /// Between two looks at what came meanwhile: many samples are taken at once.
    static let derivingPause = Duration.milliseconds(250)
    /// Samples that are taken at once.
    private static let derivingPage = 1000

    /// What the drivers and the derivers found, in the order in which one goes before another: what is
    /// missing takes no name from what is there.
    nonisolated static func ranked(
        _ own: [DiscoveredSensor], _ derived: [DiscoveredSensor]
    ) -> [DiscoveredSensor] {
        let there = (own + derived).filter { !$0.isUnavailable }
        return there + (derived + own).filter(\.isUnavailable)
    }

    /// Makes samples of a sensor of those of its input that arrive from now on.
    ///
    /// They are taken from the store, which holds them in any case: what waits needs no memory here, and
    /// none is taken twice.
    nonisolated func derive(
        _ deriver: any SampleDeriver, of input: SensorID, _ id: SensorID, every interval: Duration,
        generation: Int
    ) async {
        var deriver = deriver
        var pace = SamplePace(interval)
        let signals = await store.arrivalSignals(of: input)
        var place = await store.lastSequence
        if let last = await store.newest(of: id) { deriver.resume(after: last.sample) }
        for await _ in signals {
            while let page = await arrivals(
                of: input, for: id, deriver.inputs, after: &place, generation)
            {
                let samples = page.compactMap { deriver.take($0.sample) }
                    .filter { pace.admits($0.time) }
                if !samples.isEmpty { await accept(samples, from: id, generation) }
                guard page.count == Self.derivingPage else { break }
            }
            guard (try? await time.sleep(Self.derivingPause)) != nil else { return }
        }
    }

    /// The next samples of an input; `nil` when there are none, or none may be taken.
    private func arrivals(
        of input: SensorID, for id: SensorID, _ fields: [Field], after place: inout Int64,
        _ generation: Int
    ) async -> [StoredSample]? {
        let last = await store.lastSequence
        let after = place
        // What is off is not computed with, also when it came while it was on.
        guard isCurrent(id, generation), level(of: input) != .off else {
            place = last
            return nil
        }
        let page = await page(of: input, fields, after: after, for: id, generation)
        if let page, page.count == Self.derivingPage, let end = page.last?.sequence {
            place = end
        } else {
            place = max(last, page?.last?.sequence ?? 0)
        }
        guard let page, !page.isEmpty, isCurrent(id, generation), level(of: input) != .off else {
            return nil
        }
        return page
    }

    private func page(
        of input: SensorID, _ fields: [Field], after place: Int64, for id: SensorID,
        _ generation: Int
    ) async -> [StoredSample]? {
        do {
            return try await store.arrivals(
                of: input, fields: fields, after: place, limit: Self.derivingPage)
        } catch {
            note(SensorError(.malformed, error.message), of: id, generation)
            return nil
        }
    }
}

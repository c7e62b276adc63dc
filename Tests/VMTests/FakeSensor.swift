import Samples
import Synchronization

@testable import VM

/// A sensor whose reads and presence are controlled by a test.
final class FakeSensor: SensorDriver {
    enum Answer: Sendable {
        case value(Double)
        case nothing
        case failure(SensorError)
    }

    struct State {
        var isThere = true
        var fields = [Field("x")]
        var answers: [Answer] = []
        var reads = 0
    }

    let sensor: Sensor
    private let state = Mutex(State())
    private let beforeAnswer: @Sendable () -> Void

    /// - Parameter beforeAnswer: runs in the middle of each read.
    init(_ id: SensorID, beforeAnswer: @escaping @Sendable () -> Void = {}) {
        sensor = Sensor(id: id, title: "\(id)", fields: [Field("x")], source: "a test")
        self.beforeAnswer = beforeAnswer
    }

    var reads: Int { state.withLock { $0.reads } }

    /// Sets the results of the next reads; the last one is repeated.
    func answer(_ answers: Answer...) {
        state.withLock { $0.answers = answers }
    }

    func isThere(_ isThere: Bool) {
        state.withLock { $0.isThere = isThere }
    }

    func has(_ fields: [Field]) {
        state.withLock { $0.fields = fields }
    }

    func discover() -> [DiscoveredSensor] {
        let (isThere, fields) = state.withLock { ($0.isThere, $0.fields) }
        guard isThere else { return [] }
        let found = Sensor(
            id: sensor.id, title: sensor.title, fields: fields, source: sensor.source,
            cadence: sensor.cadence)
        return [DiscoveredSensor(found, .polled(Reader(sensor: self, count: fields.count)))]
    }

    private struct Reader: SampleReader {
        let sensor: FakeSensor
        let count: Int

        mutating func read() throws(SensorError) -> [Value]? {
            let answer = sensor.nextAnswer()
            sensor.beforeAnswer()
            switch answer {
            case .value(let number): return Array(repeating: .number(number), count: count)
            case .nothing: return nil
            case .failure(let error): throw error
            }
        }
    }

    private func nextAnswer() -> Answer {
        state.withLock { state in
            state.reads += 1
            let answer = state.answers.first ?? .value(Double(state.reads))
            if state.answers.count > 1 { state.answers.removeFirst() }
            return answer
        }
    }
}

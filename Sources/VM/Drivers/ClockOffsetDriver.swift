internal import CClock
import Glibc
import Samples

/// The offset of the system clock from its NTP servers.
///
/// `offset` is what is still to be added to the clock, as in NTP: positive if it is behind. Clients that change
/// the clock themselves, such as chrony, leave it at 0; their errors are in `estimatedError`. Without a
/// client that keeps the clock right there is no sensor. Source: adjtimex(2), RFC 5905, appendix A.
struct ClockOffsetDriver: SensorDriver {
    /// What the kernel reports; seconds, and parts per million.
    struct State: Hashable, Sendable {
        let isSynchronised: Bool
        let offset, estimatedError, maximumError, frequency: Double
    }

    private static let fields =
        ["offset", "estimatedError", "maximumError"].map { Field($0, unit: "s") }
        + [Field("frequency", unit: "[ppm]")]
    private static let source = "adjtimex(2)"

    private let state: @Sendable () throws(SensorError) -> State

    init(state: @escaping @Sendable () throws(SensorError) -> State = kernelState) {
        self.state = state
    }

    func discover() -> [DiscoveredSensor] {
        let sensor = Sensor(
            id: "clock-offset", title: "Offset of the clock", fields: Self.fields,
            source: Self.source, cadence: .slow)
        let reader = Reader(state: state)
        do throws(SensorError) {
            _ = try reader.values()
            return [DiscoveredSensor(sensor, .polled(reader))]
        } catch {
            let remedy =
                error.code == .gone
                ? "sudo timedatectl set-ntp true, or sudo apt-get install chrony"
                : "in a systemd unit: ProtectClock=no, and SystemCallFilter=adjtimex clock_adjtime"
            return [
                DiscoveredSensor(
                    sensor, .unavailable(reason: error.message, remedy: remedy))
            ]
        }
    }

    private struct Reader: SampleReader {
        let state: @Sendable () throws(SensorError) -> State

        mutating func read() throws(SensorError) -> [Value]? { try values() }

        func values() throws(SensorError) -> [Value] {
            let state = try state()
            guard state.isSynchronised else {
                throw SensorError(
                    .gone, "no NTP client keeps the clock of this machine synchronised")
            }
            return [state.offset, state.estimatedError, state.maximumError, state.frequency]
                .map(Value.number)
        }
    }

    private static let kernelState: @Sendable () throws(SensorError) -> State = {
        () throws(SensorError) in
        var state = nervous_clock_state()
        guard nervous_read_clock(&state) == 0 else {
            let reason = String(cString: strerror(errno)).lowercased()
            throw SensorError(.unreadable, "the kernel does not report its clock: \(reason)")
        }
        return State(
            isSynchronised: state.is_synchronised, offset: state.offset,
            estimatedError: state.estimated_error, maximumError: state.maximum_error,
            frequency: state.frequency)
    }
}

import Glibc
import Samples

/// The clock that a device takes the times of its samples from.
///
/// Source: `current_timestamp_clock` in Documentation/ABI/testing/sysfs-bus-iio.
struct DeviceClock: Hashable, Sendable {
    private let clock: clockid_t?

    /// - Parameter name: as sysfs writes it; the clock of the day where it is missing.
    init(_ name: String?) {
        clock =
            switch name {
            case "monotonic": CLOCK_MONOTONIC
            case "monotonic_raw": CLOCK_MONOTONIC_RAW
            case "monotonic_coarse": CLOCK_MONOTONIC_COARSE
            case "boottime": CLOCK_BOOTTIME
            case "tai": CLOCK_TAI
            default: nil
            }
    }

    /// Microseconds by which it is ahead of the time of day, which is `now`.
    func ahead(of now: Timestamp) -> Int64 {
        guard let clock else { return 0 }
        // Seconds and nanoseconds. With optimisation the compiler does not see the members of a timespec
        // here, whatever is imported.
        var time = [0, 0]
        time.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            clock_gettime(clock, start.assumingMemoryBound(to: timespec.self))
        }
        return Int64(time[0]) * 1_000_000 + Int64(time[1]) / 1000 - now.microseconds
    }
}

import Glibc
import Samples

/// What the machine says of itself.
extension Moment {
    /// Level, state, voltage and power.
    var battery: [Value] {
        let (level, state) = kind == .batteryDay ? dayOfBattery : draining
        let power: Double =
            switch state {
            case "charging": 35
            case "full": 0
            default: 7 + 1.5 * drift(.power, 60)
            }
        return [
            .number(level.rounded()), .text(state),
            .number((3.4 + 0.008 * level).rounded(to: 0.001)),
            .number(max(0, power).rounded(to: 0.01)),
        ]
    }

    /// Six percent an hour, from where chance has put it.
    private var draining: (Double, String) {
        let first = 60 + 30 * noise.unit(.charge, 0)
        return (max(5, first - 6 * max(0, elapsed) / 3600), "discharging")
    }

    /// Charged from eleven in the evening, full when it has 100 %, and used from seven on.
    private var dayOfBattery: (Double, String) {
        let (rate, least) = (37.0, 18.0)
        switch hour {
        case 23...: return (least + rate * (hour - 23), "charging")
        case ..<7:
            let level = least + rate * (hour + 1)
            return level < 100 ? (level, "charging") : (100, "full")
        default:
            let used = (hour - 7) / 16
            let busier = 3 * sin(2 * .pi * used) * (0.5 + 0.5 * noise.unit(.charge, 1))
            return (100 - (100 - least) * used + busier, "discharging")
        }
    }

    /// Busy, and so each of two cores.
    var processor: [Value] {
        let busy = (14 + 9 * drift(.processor, 15) + 2 * jitter(.processor)).clamped(0...100)
        let apart = min(busy, 100 - busy, 3 * abs(jitter(.core)))
        let cores = [busy + apart, busy - apart].map { $0.rounded(to: 0.01) }
        return ([(cores[0] + cores[1]) / 2] + cores).map { .number($0.rounded(to: 0.001)) }
    }

    var load: [Value] {
        let base = 0.6
        let values = [(60.0, 0.25), (300, 0.12), (900, 0.06)].map { period, width in
            Value.number(max(0, base + width * drift(.load, period)).rounded(to: 0.01))
        }
        let runnable = 1 + Int64(3 * noise.unit(.processes, place))
        return values + [.integer(runnable), .integer(312 + Int64(4 * drift(.processes, 120)))]
    }

    /// 16 GiB, of which about two fifths are used.
    var memory: [Value] {
        let total: Int64 = 16 << 30
        let page: Double = 4096
        let share = (0.4 + 0.04 * drift(.memory, 180) + 0.002 * jitter(.memory)).clamped(0.1...0.9)
        let used = Int64((share * Double(total) / page).rounded() * page)
        let available = total - used
        let (free, buffers) = (available / 8192 * 4096, 256 << 20 as Int64)
        let cached = available - free - buffers
        let counted = [total, available, free, buffers, cached, 2 << 30, 2 << 30, used]
        let percent = 100 * Double(used) / Double(total)
        return counted.map(Value.integer) + [.number(percent)]
    }
}

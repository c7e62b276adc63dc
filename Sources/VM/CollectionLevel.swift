import Samples

/// How often the person lets a sensor be read.
public enum CollectionLevel: Hashable, Sendable {
    /// Never read; no row is stored, whoever asks.
    case off
    case low, medium, high
    /// A time of the person's own between two samples, at least 1 ms.
    case every(Duration)

    /// The time between two samples; `nil` when off.
    func interval(_ cadence: Cadence) -> Duration? {
        switch self {
        case .off: nil
        case .low: cadence.low
        case .medium: cadence.medium
        case .high: cadence.high
        case .every(let duration): duration
        }
    }
}

extension CollectionLevel: LosslessStringConvertible {
    /// Reads `off`, `low`, `medium`, `high`, or a time such as `500ms`, `2s`, `5m`, `1h`.
    public init?(_ text: String) {
        switch text {
        case "off": self = .off
        case "low": self = .low
        case "medium": self = .medium
        case "high": self = .high
        default:
            guard let duration = Duration(span: text), duration >= .milliseconds(1) else {
                return nil
            }
            self = .every(duration)
        }
    }

    public var description: String {
        switch self {
        case .off: "off"
        case .low: "low"
        case .medium: "medium"
        case .high: "high"
        case .every(let duration): duration.span
        }
    }
}

import Ingest
import NIOCore
import Samples
import Tracks

/// What was said on one connection to gpsd.
struct GPSDConversation {
    private let connector: GPSDConnector
    private let inlet: Inlet
    private var lines = LineSplitter(limit: GPSDMessage.longestLine)
    private var isGreeted = false
    private var isOpen = false
    private var rest: RestCycle?
    private var mayRest = false

    init(_ connector: GPSDConnector, _ inlet: Inlet) {
        (self.connector, self.inlet) = (connector, inlet)
        rest = connector.rest
    }

    /// Takes bytes as they come.
    ///
    /// - Returns: whether gpsd has just said what it is, and waits for being asked.
    mutating func take(_ bytes: some Sequence<UInt8>) -> Bool {
        let before = lines.overlong
        for line in lines.take(bytes) { take(line) }
        if lines.overlong > before { inlet.leaveOut(lines.overlong - before) }
        return isGreeted && !isOpen
    }

    /// The way stands.
    mutating func begin() {
        isOpen = true
    }

    /// For how long the receiver is to rest from now on; `nil` where it goes on.
    mutating func takeRest() -> Duration? {
        defer { mayRest = false }
        return mayRest ? rest?.every : nil
    }

    private mutating func take(_ line: [UInt8]) {
        guard let message = GPSDMessage(line, at: .now()) else {
            inlet.leaveOut()
            return
        }
        if case .fix(let fix, let device) = message,
            connector.device == nil || connector.device == device
        {
            let isDue = rest?.take(fix) ?? false
            // What came with the fix that let it rest does not wake it, unless it has moved.
            mayRest = isDue || mayRest && rest?.isResting == true
        }
        switch message {
        case .version: isGreeted = true
        case .devices(let devices):
            if devices.isEmpty { inlet.warn("\(connector.place) has no receiver.") }
        case .error(let text): inlet.warn("\(connector.place) says: \(text).")
        case .fix(let fix, let device) where isWanted(.fix, device):
            inlet.take(Reading(fix))
        case .satellites(let used, let visible, let device) where isWanted(.satellites, device):
            inlet.take(
                Reading(values: [
                    "used": .integer(Int64(used)), "visible": .integer(Int64(visible)),
                ]))
        case .fix, .noFix, .satellites, .other: break
        }
    }

    private func isWanted(_ report: GPSDConnector.Report, _ device: String?) -> Bool {
        guard report == connector.report else { return false }
        return connector.device == nil || connector.device == device
    }
}

extension Reading {
    /// A fix, with its time unless another is given; `nil` takes that of arrival.
    init(_ fix: Fix, isOfNow: Bool = false) {
        let pairs = zip(Fix.fields, fix.numbers).map { ($0.name, Value.number($1)) }
        self.init(
            time: isOfNow ? nil : fix.time,
            values: Dictionary(pairs) { first, _ in first })
    }
}

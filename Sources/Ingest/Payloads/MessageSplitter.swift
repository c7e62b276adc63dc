import Tracks

/// Splits a stream of bytes into the messages of a format, in bounded memory.
///
/// These are lines, and for the formats that have other messages binary frames, telegrams, or the NMEA sentences
/// of one time.
///
/// ```swift
/// var splitter = MessageSplitter(format)
/// for message in splitter.take(bytes) { handle(message) }
/// ```
public struct MessageSplitter: Sendable {
    private enum Form: Sendable {
        case lines(LineSplitter)
        case frames(FrameSplitter)
        case telegrams(TelegramSplitter)
        case sentences(LineSplitter, NMEAGrouping)
    }

    private var form: Form

    /// Creates a splitter.
    public init(_ format: PayloadFormat) {
        form =
            switch format {
            case .frame(let layout): .frames(FrameSplitter(layout))
            case .dsmr: .telegrams(TelegramSplitter())
            case .nmea: .sentences(LineSplitter(limit: NMEAReader.longestLine), NMEAGrouping())
            default: .lines(LineSplitter())
            }
    }

    /// Whether messages are lines, of which the first after connecting may be incomplete without being noticed.
    public var splitsLines: Bool {
        if case .lines = form { true } else { false }
    }

    /// How many parts of the stream were dropped because they are no message.
    public var rejected: Int {
        switch form {
        case .lines(let lines): lines.overlong
        case .frames(let frames): frames.rejected
        case .telegrams(let telegrams): telegrams.rejected
        case .sentences(let lines, let grouping): lines.overlong + grouping.rejected
        }
    }

    /// Appends bytes and returns the messages they complete.
    public mutating func take(_ bytes: some Sequence<UInt8>) -> [[UInt8]] {
        switch form {
        case .lines(var lines):
            let messages = lines.take(bytes)
            form = .lines(lines)
            return messages
        case .frames(var frames):
            let messages = frames.take(bytes)
            form = .frames(frames)
            return messages
        case .telegrams(var telegrams):
            let messages = telegrams.take(bytes)
            form = .telegrams(telegrams)
            return messages
        case .sentences(var lines, var grouping):
            let messages = lines.take(bytes).compactMap { grouping.take($0) }
            form = .sentences(lines, grouping)
            return messages
        }
    }

    /// Ends the stream and returns the messages that only its end completes.
    public mutating func end() -> [[UInt8]] {
        switch form {
        case .lines(var lines):
            let last = lines.end()
            form = .lines(lines)
            return last.map { [$0] } ?? []
        case .frames: return []
        case .telegrams(var telegrams):
            let last = telegrams.end()
            form = .telegrams(telegrams)
            return last.map { [$0] } ?? []
        case .sentences(var lines, var grouping):
            let last = lines.end().flatMap { grouping.take($0) }
            let messages = [last, grouping.end()].compactMap { $0 }
            form = .sentences(lines, grouping)
            return messages
        }
    }
}

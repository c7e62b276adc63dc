import Archive
import RunnerProtocol

/// Unpacks archives in a process of its own that may touch nothing, and believes nothing it says.
///
/// The process gets the archive as a file in memory that cannot be changed, and a pipe to answer.
/// It is ended with the call that started it, whatever happens.
public struct Unpacker: Sendable {
    private enum Place {
        case process(program: String, patience: Duration)
        case nowhere
        case here
    }

    private let place: Place

    /// Unpacks with a program.
    ///
    /// - Parameters:
    ///   - program: The path of `nervous-unpacker`; without one every archive is refused.
    ///   - patience: How long, for one archive, the host waits for the program in all.
    public init(program: String?, patience: Duration = .seconds(20)) {
        place = program.map { .process(program: $0, patience: patience) } ?? .nowhere
    }

    private init(_ place: Place) {
        self.place = place
    }

    /// Unpacks in this process: only for archives that this process has written itself.
    static let here = Unpacker(.here)

    /// Hands over what an archive holds, in order, as it arrives.
    ///
    /// - Throws: ``JSAppsError``; what was handed over by then must be thrown away.
    func unpack(
        _ archive: [UInt8], limits: PackageLimits,
        receive: (ArchiveIntake.Event) throws(JSAppsError) -> Void
    ) throws(JSAppsError) {
        guard archive.count <= limits.archiveBytes else {
            throw JSAppsError(ArchiveError(.archiveTooLarge), limits: limits)
        }
        var intake = ArchiveIntake(limits: limits)
        switch place {
        case .nowhere: throw .noUnpacker
        case .here: try Self.unpackHere(archive, limits: limits, into: &intake, receive: receive)
        case .process(let program, let patience):
            let process = try UnpackerProcess.start(
                program: program, arguments: limits.archive.words, archive: archive)
            try Self.take(
                from: process, patience: patience, into: &intake, receive: receive)
        }
    }

    private static func take(
        from process: consuming UnpackerProcess, patience: Duration,
        into intake: inout ArchiveIntake,
        receive: (ArchiveIntake.Event) throws(JSAppsError) -> Void
    ) throws(JSAppsError) {
        var reader = FrameReader<UnpackerFrame>()
        var patience = patience
        while !intake.isComplete {
            let bytes = try process.read(patience: &patience)
            guard !bytes.isEmpty else { throw process.unexpectedEnd() }
            reader.append(bytes)
            while !intake.isComplete, let frame = try frame(from: &reader) {
                if let event = try intake.take(frame) { try receive(event) }
            }
        }
    }

    private static func frame(
        from reader: inout FrameReader<UnpackerFrame>
    ) throws(JSAppsError) -> UnpackerFrame? {
        do throws(FrameError) {
            return try reader.next()
        } catch {
            throw .unpackerBrokeRules(cause: error)
        }
    }

    private static func unpackHere(
        _ archive: [UInt8], limits: PackageLimits, into intake: inout ArchiveIntake,
        receive: (ArchiveIntake.Event) throws(JSAppsError) -> Void
    ) throws(JSAppsError) {
        var failure: JSAppsError?
        UTF8Locale.use {
            Unpacking.unpack(archive, limits: limits.archive) { frame in
                do throws(JSAppsError) {
                    if let event = try intake.take(frame) { try receive(event) }
                } catch {
                    failure = error
                }
                return failure == nil
            }
        }
        if let failure { throw failure }
    }
}

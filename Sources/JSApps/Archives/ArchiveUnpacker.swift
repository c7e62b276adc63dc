import Archive
import RunnerProtocol

/// Unpacks archives in a confined process and does not trust its output.
///
/// The process receives the archive as a sealed file in memory, and a pipe for its frames. It never
/// outlives the call that started it.
///
/// ```swift
/// let library = try await AppLibrary.open(at: apps, unpacker: ArchiveUnpacker(program: path))
/// ```
public struct ArchiveUnpacker: Sendable {
    private enum Method {
        case process(program: String, timeLimit: Duration)
        case unavailable
        case inProcess
    }

    private let method: Method

    /// - Parameters:
    ///   - program: the path of `nervous-unpacker`; without it, every archive is rejected.
    ///   - timeLimit: the total time to wait for the program, for one archive.
    public init(program: String?, timeLimit: Duration = .seconds(20)) {
        method = program.map { .process(program: $0, timeLimit: timeLimit) } ?? .unavailable
    }

    private init(_ method: Method) {
        self.method = method
    }

    /// Unpacks in this process: only for archives that this process has written.
    static let inProcess = ArchiveUnpacker(.inProcess)

    /// Unpacks an archive; `receive` takes its content in order, as it arrives.
    ///
    /// - Throws: ``JSAppsError``; content received before is to be discarded.
    func unpack(
        _ archive: [UInt8], limits: PackageLimits,
        receive: (ArchiveIntake.Event) throws(JSAppsError) -> Void
    ) throws(JSAppsError) {
        guard archive.count <= limits.archiveBytes else {
            throw JSAppsError(ArchiveError(.archiveTooLarge), limits: limits)
        }
        var intake = ArchiveIntake(limits: limits)
        switch method {
        case .unavailable: throw .noUnpacker
        case .inProcess:
            try Self.unpackInProcess(archive, limits: limits, into: &intake, receive: receive)
        case .process(let program, let timeLimit):
            let process = try UnpackerProcess.start(
                program: program, arguments: limits.archive.arguments, archive: archive)
            try Self.take(
                from: process, within: timeLimit, into: &intake, receive: receive)
        }
    }

    private static func take(
        from process: consuming UnpackerProcess, within timeLimit: Duration,
        into intake: inout ArchiveIntake,
        receive: (ArchiveIntake.Event) throws(JSAppsError) -> Void
    ) throws(JSAppsError) {
        var reader = FrameReader<UnpackerFrame>()
        var timeLeft = timeLimit
        while !intake.isComplete {
            let bytes = try process.read(within: &timeLeft)
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
            throw .invalidUnpackerOutput(cause: error)
        }
    }

    private static func unpackInProcess(
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

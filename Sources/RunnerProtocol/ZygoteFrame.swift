/// A message from the host to the zygote.
///
/// A packet contains one frame, and is sent with ``descriptors`` descriptors.
public enum ZygoteRequest: Hashable, Sendable {
    /// Fork a runner; sent with the runner's socket and its output pipe.
    ///
    /// - `cpu`: the limit of its processor time, in seconds.
    /// - `memory`: bytes that the runner may use in addition to those in use when its engine has
    ///   started.
    case start(id: UInt32, cpu: UInt32, memory: UInt64)
    /// Load a library for all runners that are forked later; sent with a file that has its source.
    case library(RunnerLibrary)
    /// Evaluate a script for all runners that are forked later; sent with a file that has its source.
    ///
    /// A run that is sent the same script does not evaluate it again.
    case script(name: String)

    /// The number of descriptors that are sent with the packet.
    public var descriptors: Int {
        switch self {
        case .start: 2
        case .library, .script: 1
        }
    }
}

/// A message from the zygote to the host.
///
/// A packet contains one frame; `started` is sent with a process descriptor (pidfd).
public enum ZygoteReport: Hashable, Sendable {
    /// The zygote accepts requests; `layers` are those of the sandbox that confines it and each runner.
    case ready(layers: [String])
    /// The runner was forked.
    case started(id: UInt32, process: UInt32)
    /// The runner could not be forked; `error` is an `errno`.
    case failed(id: UInt32, error: UInt32)
    /// A runner has ended: its wait status, its processor time in microseconds, and the peak of its
    /// resident bytes.
    case ended(id: UInt32, status: UInt32, cpu: UInt64, peak: UInt64)
}

extension ZygoteRequest: Frame {
    public init(from decoder: inout PayloadDecoder, type: UInt8) throws(FrameError) {
        switch type {
        case 1:
            self = .start(
                id: try decoder.uint32(), cpu: try decoder.uint32(), memory: try decoder.uint64())
        case 2:
            guard let library = RunnerLibrary(rawValue: try decoder.uint8()) else {
                throw .malformed("library")
            }
            self = .library(library)
        case 3: self = .script(name: try decoder.string())
        default: throw .unknownType(type)
        }
    }

    public func encode(to encoder: inout PayloadEncoder) -> UInt8 {
        switch self {
        case .start(let id, let cpu, let memory):
            encoder.write(id)
            encoder.write(cpu)
            encoder.write(memory)
            return 1
        case .library(let library):
            encoder.write(library.rawValue)
            return 2
        case .script(let name):
            encoder.write(name)
            return 3
        }
    }
}

extension ZygoteReport: Frame {
    public init(from decoder: inout PayloadDecoder, type: UInt8) throws(FrameError) {
        switch type {
        case 1: self = .ready(layers: try decoder.strings())
        case 2: self = .started(id: try decoder.uint32(), process: try decoder.uint32())
        case 3: self = .failed(id: try decoder.uint32(), error: try decoder.uint32())
        case 4:
            self = .ended(
                id: try decoder.uint32(), status: try decoder.uint32(),
                cpu: try decoder.uint64(), peak: try decoder.uint64())
        default: throw .unknownType(type)
        }
    }

    public func encode(to encoder: inout PayloadEncoder) -> UInt8 {
        switch self {
        case .ready(let layers):
            encoder.write(layers)
            return 1
        case .started(let id, let process):
            encoder.write(id)
            encoder.write(process)
            return 2
        case .failed(let id, let error):
            encoder.write(id)
            encoder.write(error)
            return 3
        case .ended(let id, let status, let cpu, let peak):
            encoder.write(id)
            encoder.write(status)
            encoder.write(cpu)
            encoder.write(peak)
            return 4
        }
    }
}

extension Frame {
    /// Decodes a packet, which contains one frame.
    ///
    /// - Throws: ``FrameError`` for anything else.
    public init(packet: some Sequence<UInt8>) throws(FrameError) {
        var reader = FrameReader<Self>()
        reader.append(packet)
        guard let frame = try reader.next(), reader.isEmpty else { throw .malformed("packet") }
        self = frame
    }
}

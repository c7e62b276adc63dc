public import RunnerProtocol

/// A message from the unpacker to the host.
///
/// First comes every `entry` in the order of the data, then `listed`; then for every file, in the
/// same order, its `content` in pieces and `fileEnd`; finally `done`. `refused` may come at any
/// point and is the last frame. `unconfined` can only be the first frame, and is also the last.
public enum UnpackerFrame: Hashable, Sendable {
    /// A file or folder of the archive, with its raw name, without a folder's slash, and its
    /// declared size.
    case entry(name: [UInt8], isFolder: Bool, size: UInt32)
    /// The end of the entries.
    case listed
    /// The next piece of the current file.
    case content([UInt8])
    /// The current file is complete and its checksum verified.
    case fileEnd
    /// The archive has been read completely.
    case done
    /// The archive is rejected.
    case refused(ArchiveError)
    /// A layer of the sandbox is missing, with the `errno` of the failed call; nothing was read.
    case unconfined(layer: String, code: UInt32)

    /// The valid names in `unconfined`.
    public static let layers: Set = [
        "process isolation", "descriptor isolation", "resource limits", "time limit",
        "memory limit", "no_new_privs", "no capabilities", "landlock", "seccomp",
    ]
    /// The largest piece of content in one frame.
    public static let pieceBytes = 64 << 10
    /// The maximum number of bytes of a frame; names in a ZIP archive have at most 65 535.
    private static let largest = 80 << 10
}

extension UnpackerFrame: Frame {
    public static func limit(ofType type: UInt8) -> Int { largest }

    public init(from decoder: inout PayloadDecoder, type: UInt8) throws(FrameError) {
        switch type {
        case 1:
            self = .entry(
                name: try decoder.bytes(), isFolder: try decoder.uint8() != 0,
                size: try decoder.uint32())
        case 2: self = .listed
        case 3: self = .content(try decoder.bytes())
        case 4: self = .fileEnd
        case 5: self = .done
        case 6:
            guard let fault = ArchiveFault(rawValue: try decoder.uint8()) else {
                throw .malformed("fault")
            }
            self = .refused(
                ArchiveError(fault, name: try decoder.bytes(), number: try decoder.uint32()))
        case 7: self = .unconfined(layer: try decoder.string(), code: try decoder.uint32())
        default: throw .unknownType(type)
        }
    }

    public func encode(to encoder: inout PayloadEncoder) -> UInt8 {
        switch self {
        case .entry(let name, let isFolder, let size):
            encoder.write(name)
            encoder.write(UInt8(isFolder ? 1 : 0))
            encoder.write(size)
            return 1
        case .listed: return 2
        case .content(let bytes):
            encoder.write(bytes)
            return 3
        case .fileEnd: return 4
        case .done: return 5
        case .refused(let error):
            encoder.write(error.fault.rawValue)
            encoder.write(error.name)
            encoder.write(error.number)
            return 6
        case .unconfined(let layer, let code):
            encoder.write(layer)
            encoder.write(code)
            return 7
        }
    }
}

/// A message from the host to a runner.
public enum HostFrame: Hashable, Sendable {
    /// Evaluate a script; scripts are evaluated in the order of their frames.
    case load(name: String, source: String)
    /// Open the page at the address of `location` and run its scripts; errors report `name` as their
    /// file.
    case page(name: String)
    /// Whether to report the visible text of the page when it changes, and its document at the end.
    case present(text: Bool, markup: Bool)
    /// End the run after these milliseconds, as if nothing were left to wait for.
    case lifetime(UInt32)
    /// All scripts have been sent: the run ends when nothing is left to wait for.
    case loaded
    /// The status and header of the response to request `id`, and its address after redirects;
    /// empty if there were none.
    case response(id: UInt32, status: UInt16, headers: [HeaderField], url: String = "")
    /// A piece of the body of response `id`.
    case body(id: UInt32, bytes: [UInt8])
    /// Response `id` is complete.
    case end(id: UInt32)
    /// Request `id` has no response, or its body was interrupted.
    case failure(id: UInt32, message: String)
    /// Answer with `pong`, to show that the event loop runs.
    case ping(UInt32)
    /// The limits of one turn from now on: milliseconds, and milliseconds of processor time.
    case limits(wall: UInt32, cpu: UInt32)
    /// Use virtual time: it is `start`, in microseconds since 1970, until `advance` sets it; random
    /// numbers depend on `seed`. Precedes all scripts.
    case time(start: UInt64, seed: UInt64)
    /// Set virtual time to these nanoseconds after the start; `fires` is whether due timers fire.
    case advance(to: UInt64, fires: Bool)
}

extension HostFrame: Frame {
    public init(from decoder: inout PayloadDecoder, type: UInt8) throws(FrameError) {
        switch type {
        case 1: self = .load(name: try decoder.string(), source: try decoder.string())
        case 2: self = .loaded
        case 3:
            self = .response(
                id: try decoder.uint32(), status: try decoder.uint16(),
                headers: try decoder.headers(), url: try decoder.string())
        case 4: self = .body(id: try decoder.uint32(), bytes: try decoder.bytes())
        case 5: self = .end(id: try decoder.uint32())
        case 6: self = .failure(id: try decoder.uint32(), message: try decoder.string())
        case 7: self = .ping(try decoder.uint32())
        case 9: self = .limits(wall: try decoder.uint32(), cpu: try decoder.uint32())
        case 10: self = .page(name: try decoder.string())
        case 11:
            self = .present(text: try decoder.uint8() != 0, markup: try decoder.uint8() != 0)
        case 12: self = .lifetime(try decoder.uint32())
        case 20: self = .time(start: try decoder.uint64(), seed: try decoder.uint64())
        case 21: self = .advance(to: try decoder.uint64(), fires: try decoder.uint8() != 0)
        default: throw .unknownType(type)
        }
    }

    public func encode(to encoder: inout PayloadEncoder) -> UInt8 {
        switch self {
        case .load(let name, let source):
            encoder.write(name)
            encoder.write(source)
            return 1
        case .loaded:
            return 2
        case .response(let id, let status, let headers, let url):
            encoder.write(id)
            encoder.write(status)
            encoder.write(headers)
            encoder.write(url)
            return 3
        case .body(let id, let bytes):
            encoder.write(id)
            encoder.write(bytes)
            return 4
        case .end(let id):
            encoder.write(id)
            return 5
        case .failure(let id, let message):
            encoder.write(id)
            encoder.write(message)
            return 6
        case .ping(let number):
            encoder.write(number)
            return 7
        case .limits(let wall, let cpu):
            encoder.write(wall)
            encoder.write(cpu)
            return 9
        case .page(let name):
            encoder.write(name)
            return 10
        case .present(let text, let markup):
            encoder.write(text ? 1 as UInt8 : 0)
            encoder.write(markup ? 1 as UInt8 : 0)
            return 11
        case .lifetime(let milliseconds):
            encoder.write(milliseconds)
            return 12
        case .time(let start, let seed):
            encoder.write(start)
            encoder.write(seed)
            return 20
        case .advance(let time, let fires):
            encoder.write(time)
            encoder.write(fires ? 1 as UInt8 : 0)
            return 21
        }
    }
}

/// A message from a runner to the host.
///
/// The host treats each of them as if an attacker had sent it.
public enum RunnerFrame: Hashable, Sendable {
    /// The process is confined and the engine waits for scripts.
    ///
    /// `layers` are the layers of its sandbox, such as `landlock 7`, for display.
    case ready(layers: [String])
    /// A line for the console.
    case console(level: ConsoleLevel, text: String)
    /// A call of `fetch`; `target` is an absolute URL or a path with query.
    case request(
        id: UInt32, method: String, target: String, headers: [HeaderField], body: [UInt8])
    /// The app cancelled request `id`.
    case cancel(id: UInt32)
    /// An error that the app did not catch.
    case uncaught(UncaughtError)
    /// The answer to `ping`.
    case pong(UInt32)
    /// Requests a script from the host, answered like a call of `fetch`.
    case library(id: UInt32, RunnerLibrary)
    /// The visible text of the page, which has changed.
    case view(text: String)
    /// The page's document at the end of the run.
    case markup(text: String)
    /// In virtual time: the app has nothing to do before `next`, in nanoseconds after the start, or
    /// before the next frame; `nil` if it waits for frames only.
    ///
    /// `received` counts the frames that the runner has read; if the host has sent more, this is
    /// outdated.
    case idle(received: UInt64, next: UInt64?)
    /// Nothing is left to wait for; the process exits with `code`.
    case finished(code: UInt8)
}

/// The level of a console line.
public enum ConsoleLevel: UInt8, Hashable, Sendable {
    /// The levels, with the names of the methods of `console`.
    case debug, log, info, warn, error
}

/// A script that is too large to be part of every runner.
public enum RunnerLibrary: UInt8, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The document of a page.
    case document = 1
    /// ES modules.
    case modules = 2
    /// Encodings of text other than UTF-8.
    case encodings = 3

    /// The name of its script without `.js`.
    public var description: String {
        switch self {
        case .document: "document"
        case .modules: "modules"
        case .encodings: "encodings"
        }
    }
}

/// An uncaught exception or an unhandled rejection.
public struct UncaughtError: Hashable, Sendable {
    /// The script's name as it was loaded, such as `app.js`; empty when unknown.
    public let file: String
    /// The line, from 1; 0 when unknown.
    public let line: UInt32
    /// The column, from 1; 0 when unknown.
    public let column: UInt32
    /// The exception as text, such as `TypeError: undefined is not a function`.
    public let message: String
    /// The engine's stack trace, one call per line; may be empty.
    public let stack: String

    /// Describes an error.
    public init(file: String, line: UInt32, column: UInt32, message: String, stack: String) {
        self.file = file
        self.line = line
        self.column = column
        self.message = message
        self.stack = stack
    }
}

extension RunnerFrame: Frame {
    public init(from decoder: inout PayloadDecoder, type: UInt8) throws(FrameError) {
        switch type {
        case 1: self = .ready(layers: try decoder.strings())
        case 2:
            guard let level = ConsoleLevel(rawValue: try decoder.uint8()) else {
                throw .malformed("console level")
            }
            self = .console(level: level, text: try decoder.string())
        case 3:
            self = .request(
                id: try decoder.uint32(), method: try decoder.string(),
                target: try decoder.string(), headers: try decoder.headers(),
                body: try decoder.bytes())
        case 4: self = .cancel(id: try decoder.uint32())
        case 5:
            self = .uncaught(
                UncaughtError(
                    file: try decoder.string(), line: try decoder.uint32(),
                    column: try decoder.uint32(), message: try decoder.string(),
                    stack: try decoder.string()))
        case 6: self = .pong(try decoder.uint32())
        case 7: self = .finished(code: try decoder.uint8())
        case 8:
            let id = try decoder.uint32()
            guard let library = RunnerLibrary(rawValue: try decoder.uint8()) else {
                throw .malformed("library")
            }
            self = .library(id: id, library)
        case 9: self = .view(text: try decoder.string())
        case 10: self = .markup(text: try decoder.string())
        case 20:
            let received = try decoder.uint64()
            let next = try decoder.uint64()
            self = .idle(received: received, next: next == .max ? nil : next)
        default: throw .unknownType(type)
        }
    }

    public func encode(to encoder: inout PayloadEncoder) -> UInt8 {
        switch self {
        case .ready(let layers):
            encoder.write(layers)
            return 1
        case .console(let level, let text):
            encoder.write(level.rawValue)
            encoder.write(text)
            return 2
        case .request(let id, let method, let target, let headers, let body):
            encoder.write(id)
            encoder.write(method)
            encoder.write(target)
            encoder.write(headers)
            encoder.write(body)
            return 3
        case .cancel(let id):
            encoder.write(id)
            return 4
        case .uncaught(let error):
            encoder.write(error.file)
            encoder.write(error.line)
            encoder.write(error.column)
            encoder.write(error.message)
            encoder.write(error.stack)
            return 5
        case .pong(let number):
            encoder.write(number)
            return 6
        case .finished(let code):
            encoder.write(code)
            return 7
        case .library(let id, let library):
            encoder.write(id)
            encoder.write(library.rawValue)
            return 8
        case .view(let text):
            encoder.write(text)
            return 9
        case .markup(let text):
            encoder.write(text)
            return 10
        case .idle(let received, let next):
            encoder.write(received)
            encoder.write(next ?? .max)
            return 20
        }
    }

    /// The maximum length of a frame of this type in bytes, with its type byte; the host rejects a
    /// longer one before it has arrived.
    public static func limit(ofType type: UInt8) -> Int {
        switch type {
        case 1: 4 << 10
        case 2: 2 * FrameLimits.text
        case 3:
            FrameLimits.body + FrameLimits.target + 2 * FrameLimits.headerBytes
        case 5: 4 * FrameLimits.text
        case 9: FrameLimits.view + 16
        case 10: FrameLimits.markup + 16
        case 20: 24
        default: 16
        }
    }
}

/// Exit statuses of a runner that exceeded a limit of a turn.
public enum RunnerExit {
    /// A turn of the app took too long.
    public static let turn: Int32 = 124
    /// A turn of the app used too much processor time.
    public static let turnCPU: Int32 = 125
}

/// The release that the host and its companion programs belong to.
public enum Release {
    /// The version number.
    public static let version = "0.1.0"
}

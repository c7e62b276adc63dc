import CProcess
import CSpawn
import Foundation
import Glibc

/// A program that a test runs; it and its process group are killed with this value.
///
/// It inherits its standard streams and no other descriptor of the test, and has default signal
/// handling. Its process ID is not reused while this value exists, even after it has ended.
public final class Program: Sendable {
    /// A program that did not start, or did not do in time what a test waited for.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// How a program ended.
    public enum Ending: Sendable, Equatable {
        case exit(Int32)
        case signal(Int32)
    }

    /// How long a test waits for a program by default: a guard against hangs, not a measurement.
    ///
    /// Below the time limit of tests, so that the failure names what was waited for.
    public static let patience = Duration.seconds(540)

    /// Its process ID, and the ID of its process group.
    public let pid: Int32
    /// The program and its arguments, for messages.
    let line: String
    /// The test's end of its standard input.
    let input: FileHandle?
    /// The test's end of its output pipe.
    let output: FileHandle?
    /// A process descriptor, which becomes readable when the program ends.
    let handle: FileHandle

    /// Starts a program in a process group of its own.
    ///
    /// - Parameters:
    ///   - environment: all its variables; `nil` for those of the test.
    ///   - directory: its working directory; `nil` for that of the test.
    ///   - more: descriptors of the test that it inherits as 3, 4 and so on.
    /// - Throws: ``Failure`` if it cannot be started, `POSIXError` if a stream cannot be opened.
    public convenience init(
        _ path: String, _ arguments: [String] = [], environment: [String: String]? = nil,
        directory: String? = nil, input: Input = .nothing, output: Output = .nothing,
        errors: Output = .nothing, more: [Int32] = []
    ) throws {
        let streams = try Streams(input, output, errors)
        self.init(
            try Self.spawn(
                path, arguments, environment, directory: directory,
                descriptors: streams.theirs.map(\.fileDescriptor) + more),
            ([path] + arguments).joined(separator: " "), streams.input, streams.output)
        withExtendedLifetime(streams) {}
    }

    /// Starts a program in a session of its own, with a controlling terminal.
    ///
    /// - Parameter terminal: the path of the terminal.
    /// - Throws: ``Failure`` if it cannot be started.
    public convenience init(
        _ path: String, _ arguments: [String], environment: [String: String], terminal: String
    ) throws {
        self.init(
            try Self.spawn(path, arguments, environment, terminal: terminal),
            ([path] + arguments).joined(separator: " "), nil, nil)
    }

    private init(
        _ process: (pid: pid_t, handle: FileHandle), _ line: String, _ input: FileHandle?,
        _ output: FileHandle?
    ) {
        (pid, handle) = process
        (self.line, self.input, self.output) = (line, input, output)
    }

    deinit {
        end()
        // Reaped only now: its process ID may be reused afterwards.
        if !isRunning { waitpid(pid, nil, 0) }
    }

    /// Whether it has not ended yet.
    public var isRunning: Bool { !hasEnded(within: .zero) }

    /// Sends a signal to the program but not to its group; has no effect once it has ended.
    public func signal(_ number: Int32) {
        kill(pid, number)
    }

    /// Kills the program and its group, and returns when the program has ended.
    public func end() {
        kill(-pid, SIGKILL)
        _ = hasEnded(within: .seconds(60))
    }

    private static func spawn(
        _ path: String, _ arguments: [String], _ environment: [String: String]?,
        directory: String? = nil, terminal: String? = nil, descriptors: [Int32] = []
    ) throws -> (pid_t, FileHandle) {
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { $0.map { strdup("\($0)=\($1)") } + [nil] }
        defer { (words + (variables ?? [])).forEach { free($0) } }
        var child: pid_t = 0
        let failure =
            if let variables {
                test_spawn(
                    &child, path, words, variables, directory, terminal, descriptors,
                    descriptors.count)
            } else {
                test_spawn(
                    &child, path, words, nil, directory, terminal, descriptors, descriptors.count)
            }
        guard failure == 0 else {
            throw Failure(
                description: "cannot start \(path): \(String(cString: strerror(failure)))")
        }
        let handle = nervous_process_open(child)
        guard handle >= 0 else {
            kill(-child, SIGKILL)
            waitpid(child, nil, 0)
            throw Failure(description: "cannot watch \(path)")
        }
        return (child, FileHandle(fileDescriptor: handle, closeOnDealloc: true))
    }
}

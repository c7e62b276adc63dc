import CProcess
import CSpawn
import Foundation
import Glibc

/// A program that a test started; it and its process group end with this value.
///
/// It has its standard streams and no other descriptor of the test, and blocks and ignores no signal. Its
/// number is nobody else's for as long as this value lives, also when it has ended.
public final class Program: Sendable {
    /// What a test could not wait for any longer, or could not start.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// How a program ended.
    public enum Ending: Sendable, Equatable {
        case exit(Int32)
        case signal(Int32)
    }

    /// Its number, and that of its group.
    public let pid: Int32
    /// The program and its arguments, for people.
    let line: String
    /// The test's end of what it reads.
    let input: FileHandle?
    /// The test's end of what it writes.
    let output: FileHandle?
    /// Can be read when it has ended.
    let handle: FileHandle

    /// Starts a program that leads a process group of its own.
    ///
    /// - Parameters:
    ///   - environment: every variable that it has; `nil` for those of the test.
    ///   - directory: where it works; `nil` for where the test does.
    ///   - more: descriptors of the test that it gets, too, from 3 on.
    /// - Throws: ``Failure`` when it cannot be started, `POSIXError` when a stream cannot be opened.
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

    /// Starts a program that leads a session of its own at a terminal.
    ///
    /// - Parameter terminal: the path of the program's side.
    /// - Throws: ``Failure`` when it cannot be started.
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
        // Its number, and that of its group, are another's from now on.
        if !isRunning { waitpid(pid, nil, 0) }
    }

    /// Whether it has not ended yet.
    public var isRunning: Bool { !hasEnded(within: .zero) }

    /// Sends it a signal, and its group none; nothing happens when it has ended.
    public func signal(_ number: Int32) {
        kill(pid, number)
    }

    /// Kills it and whoever is in its group, and returns when it has ended.
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

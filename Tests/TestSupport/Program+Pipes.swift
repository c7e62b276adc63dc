public import Foundation
import Glibc

extension Program {
    /// Makes a write to a program that has ended fail instead of ending the tests.
    private static let ignoresBrokenPipes: Void = { _ = Glibc.signal(SIGPIPE, SIG_IGN) }()

    /// Reads the program's output until a condition holds or the program has ended.
    ///
    /// After the end of the program everything that it wrote is read; other processes that still
    /// hold the pipe are not waited for.
    ///
    /// - Parameter isEnough: called first with no data, then with everything read so far.
    /// - Returns: the output since the last call.
    /// - Throws: ``Failure`` with the output so far if it takes longer; the program is killed then.
    public func read(
        atMost limit: Duration = Program.patience, until isEnough: (Data) -> Bool
    ) throws -> Data {
        guard let output else { throw Failure(description: "\(line) has no pipe to read") }
        BlockingExecutor.checkMayBlock("reading from \(line)")
        let deadline = ContinuousClock.now + limit
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while !isEnough(data) {
            // Checked before the pipe: everything that an ended program wrote is in the pipe.
            let hasEnded = !isRunning
            var entries = [output, handle].map {
                pollfd(fd: $0.fileDescriptor, events: Int16(POLLIN), revents: 0)
            }
            let patience = hasEnded ? 0 : Self.milliseconds(until: deadline)
            _ = poll(&entries, hasEnded ? 1 : 2, patience)
            if entries[0].revents != 0 {
                let count = Glibc.read(output.fileDescriptor, &buffer, buffer.count)
                guard count > 0 else { return data }
                data += buffer[..<count]
            } else if hasEnded {
                return data
            }
            guard ContinuousClock.now < deadline else {
                end()
                let text = String(decoding: data, as: UTF8.self)
                throw Failure(
                    description: "\(line) did not finish within \(limit); its output: \(text)")
            }
        }
        return data
    }

    /// Reads the program's output until the program has ended or closed it.
    ///
    /// - Throws: ``Failure`` like ``read(atMost:until:)``.
    public func readToEnd(atMost limit: Duration = Program.patience) throws -> Data {
        try read(atMost: limit) { _ in false }
    }

    /// Discards further output, so that a full pipe does not stop the program.
    public func ignoreOutput() {
        guard let output else { return }
        BlockingExecutor.run { while !output.availableData.isEmpty {} }
    }

    /// Writes to the program's standard input and returns when the pipe has taken all of it.
    ///
    /// - Throws: ``Failure`` if it takes longer, or if the program has closed its input.
    public func write(_ bytes: [UInt8], atMost limit: Duration = Program.patience) throws {
        guard let input else { throw Failure(description: "\(line) has no pipe to write to") }
        BlockingExecutor.checkMayBlock("writing to \(line)")
        Self.ignoresBrokenPipes
        let deadline = ContinuousClock.now + limit
        var rest = bytes[...]
        while !rest.isEmpty {
            var entry = pollfd(fd: input.fileDescriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&entry, 1, Self.milliseconds(until: deadline))
            let count = rest.withUnsafeBytes {
                Glibc.write(input.fileDescriptor, $0.baseAddress, $0.count)
            }
            if count > 0 { rest = rest.dropFirst(count) }
            let isRefused = count < 0 && errno != EAGAIN && errno != EINTR
            guard !isRefused, rest.isEmpty || ContinuousClock.now < deadline else {
                throw Failure(description: "\(line) does not read its input")
            }
        }
    }

    /// Closes the program's standard input.
    public func endInput() {
        try? input?.close()
    }
}

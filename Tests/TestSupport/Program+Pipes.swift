public import Foundation
import Glibc

extension Program {
    /// A write to a program that has gone is an error, and no end of the tests.
    private static let ignoresBrokenPipes: Void = { _ = Glibc.signal(SIGPIPE, SIG_IGN) }()

    /// Reads its pipe until what came is enough, or the program has ended.
    ///
    /// Of one that has ended everything comes that it wrote, and nobody is waited for who still holds the
    /// pipe.
    ///
    /// - Parameter isEnough: is asked at first with nothing, and then with all that has come.
    /// - Returns: what came since the last call.
    /// - Throws: ``Failure`` with what came when it takes longer; then the program is killed.
    public func read(
        atMost limit: Duration = .seconds(300), until isEnough: (Data) -> Bool
    ) throws -> Data {
        guard let output else { throw Failure(description: "\(line) has no pipe to read") }
        let deadline = ContinuousClock.now + limit
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while !isEnough(data) {
            // Asked first: what it wrote is then in the pipe already.
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
                throw Failure(description: "\(line) was not done within \(limit); it said: \(text)")
            }
        }
        return data
    }

    /// Reads its pipe until the program has ended or closed it.
    ///
    /// - Throws: ``Failure`` as the reading of a part.
    public func readToEnd(atMost limit: Duration = .seconds(300)) throws -> Data {
        try read(atMost: limit) { _ in false }
    }

    /// Lets what it writes from now on be lost, and never stop it.
    public func ignoreOutput() {
        guard let output else { return }
        Thread.detachNewThread { while !output.availableData.isEmpty {} }
    }

    /// Writes to its standard input, and returns when the pipe has taken all of it.
    ///
    /// - Throws: ``Failure`` when it takes longer, or the program reads no more.
    public func write(_ bytes: [UInt8], atMost limit: Duration = .seconds(300)) throws {
        guard let input else { throw Failure(description: "\(line) has no pipe to write to") }
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
                throw Failure(description: "\(line) does not read what is written to it")
            }
        }
    }

    /// Ends its standard input.
    public func endInput() {
        try? input?.close()
    }
}

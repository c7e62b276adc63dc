import Dispatch
import Foundation
import Glibc

/// The person's terminal, in the mode in which questions are put.
///
/// Keys come one by one and are not shown by the kernel, and none of them is a signal: what they
/// mean is decided here. The mode from before comes back when this is closed.
final class TerminalDevice {
    /// What the person types from `listen` on; ends when the terminal has gone away.
    let keys: AsyncStream<[UInt8]>
    private let descriptor: Int32
    private var before = termios()
    private let source: any DispatchSourceRead
    private var isOpen = true

    /// - Parameter path: `/dev/tty` is the terminal that the process was started at.
    /// - Returns: `nil` where there is none, or where this process is in its background.
    init?(path: String) {
        let descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        let foreground = tcgetpgrp(descriptor)
        guard tcgetattr(descriptor, &before) == 0, foreground < 0 || foreground == getpgrp() else {
            Glibc.close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        var mode = before
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        mode.c_iflag |= tcflag_t(ICRNL)
        mode.c_oflag |= tcflag_t(OPOST | ONLCR)
        // Drops what was typed before.
        tcsetattr(descriptor, TCSAFLUSH, &mode)
        let (keys, typed) = AsyncStream.makeStream(of: [UInt8].self)
        self.keys = keys
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
        source.setEventHandler {
            var buffer = [UInt8](repeating: 0, count: 256)
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 {
                typed.yield(Array(buffer.prefix(count)))
            } else if count == 0 || errno != EAGAIN && errno != EINTR {
                typed.finish()
            }
        }
        source.setCancelHandler {
            typed.finish()
            Glibc.close(descriptor)
        }
    }

    deinit {
        close()
    }

    /// Columns and rows; 80 and 24 where the terminal does not say.
    var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Writes past the gate, which whoever asks holds meanwhile.
    func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = Glibc.poll(&poll, 1, 1000)
                guard poll.revents & Int16(POLLHUP | POLLERR) == 0 else { return }
                continue
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// What was typed before `listen`, which `keys` does not have then.
    func typedBefore() -> [UInt8] {
        var typed: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 256)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return typed }
            typed += buffer.prefix(count)
        }
    }

    /// From here on `keys` has what is typed.
    func listen() {
        source.activate()
    }

    /// Gives the terminal back as it was; what was typed meanwhile answers nothing else.
    func close() {
        guard isOpen else { return }
        isOpen = false
        tcsetattr(descriptor, TCSAFLUSH, &before)
        source.cancel()
        // One that was never activated would not run its handlers.
        source.activate()
    }
}

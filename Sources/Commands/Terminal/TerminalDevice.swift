import Dispatch
import Foundation
import Glibc

/// The terminal in raw mode, for prompts.
///
/// Keys arrive one by one, without echo and without signals. Closing restores the previous mode.
final class TerminalDevice {
    /// The keys typed after `listen()`; ends when the terminal disconnects.
    let keys: AsyncStream<[UInt8]>
    private let descriptor: Int32
    private var savedMode = termios()
    private let source: any DispatchSourceRead
    private var isOpen = true

    /// - Parameter path: `/dev/tty` is the controlling terminal.
    /// - Returns: `nil` without a terminal, or if this process is in its background.
    init?(path: String) {
        let descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        let foreground = tcgetpgrp(descriptor)
        guard tcgetattr(descriptor, &savedMode) == 0, foreground < 0 || foreground == getpgrp()
        else {
            Glibc.close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        var mode = savedMode
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        mode.c_iflag |= tcflag_t(ICRNL)
        mode.c_oflag |= tcflag_t(OPOST | ONLCR)
        // Discards earlier input.
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

    /// Columns and rows; 80 and 24 if unknown.
    var size: (columns: Int, rows: Int) { Self.size(of: descriptor) ?? (80, 24) }

    /// Columns and rows; `nil` if it is not a terminal, or if they are unknown.
    static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Writes directly: the prompter holds the output gate during a prompt.
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

    /// The input before `listen()`, which `keys` does not contain.
    func pendingInput() -> [UInt8] {
        var typed: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 256)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return typed }
            typed += buffer.prefix(count)
        }
    }

    /// Starts delivering `keys`.
    func listen() {
        source.activate()
    }

    /// Restores the terminal and discards pending input.
    func close() {
        guard isOpen else { return }
        isOpen = false
        tcsetattr(descriptor, TCSAFLUSH, &savedMode)
        source.cancel()
        // A source that was never activated would not run its handlers.
        source.activate()
    }
}

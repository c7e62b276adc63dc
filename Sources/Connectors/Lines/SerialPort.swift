import Glibc

/// A serial port opened exclusively, raw.
///
/// Its control lines keep their state on close, since many boards restart when they change.
struct SerialPort: Sendable {
    private let path: String
    private let descriptor: OwnedDescriptor
    /// The parity that is checked here, since the driver of the port does not.
    private var parity: SerialFraming.Parity = .none

    /// - Throws: ``ConnectorError`` with the reason and a remedy.
    init(
        _ path: String, baud: Int, framing: SerialFraming = .standard
    ) throws(ConnectorError) {
        let number = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { throw Self.cannotOpen(path, errno) }
        descriptor = OwnedDescriptor(number)
        self.path = path
        guard isatty(number) == 1 else {
            throw ConnectorError(
                "\(path) is not a serial port; list them with: ls -l /dev/serial/by-id")
        }
        // TIOCEXCL makes later calls of open(2) fail; flock(2) is for programs that have opened the
        // port and check for a lock. Both end when the descriptor is closed.
        guard flock(number, LOCK_EX | LOCK_NB) == 0 else { throw Self.cannotOpen(path, EBUSY) }
        _ = ioctl(number, UInt(TIOCEXCL))
        parity = try setUp(baud, framing)
    }

    /// Writes a few bytes without blocking.
    func write(_ bytes: [UInt8]) throws(ConnectorError) {
        var rest = bytes.map(parity.completed)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.write(descriptor.number, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw ConnectorError("\(path) does not accept output.")
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Forwards everything received.
    ///
    /// - Throws: ``ConnectorError`` when the device is disconnected; `CancellationError`.
    func readAll(_ body: @escaping @Sendable (ArraySlice<UInt8>) -> Void) async throws {
        // Drops unsent output, which would delay closing.
        defer { tcflush(descriptor.number, TCIOFLUSH) }
        let parity = parity
        try await DescriptorWatch.wait(for: [
            descriptor.watched(atEnd: .finish) { bytes in
                body(parity == .none ? bytes : bytes.map(parity.checked)[...])
            }
        ])
        var reason = "was unplugged or hung up"
        if case .end(let error) = descriptor.read(), error != 0, error != EIO {
            reason = "cannot be read: \(Self.text(error))"
        }
        throw ConnectorError("\(path) \(reason); reconnecting when it is back.")
    }

    /// - Returns: the parity that is left to this type.
    private func setUp(
        _ baud: Int, _ framing: SerialFraming
    ) throws(ConnectorError) -> SerialFraming.Parity {
        var mode = termios()
        guard let speed = BaudRate.speed(of: baud), tcgetattr(descriptor.number, &mode) == 0 else {
            throw ConnectorError("\(path) cannot be set up: \(Self.text(errno)).")
        }
        cfmakeraw(&mode)
        mode.c_cflag |= tcflag_t(CLOCAL | CREAD)
        mode.c_cflag &= ~tcflag_t(HUPCL)
        mode.c_cflag &= ~Self.hardwareFlow
        mode.c_iflag &= ~tcflag_t(IXOFF | IXANY)
        cfsetispeed(&mode, speed)
        cfsetospeed(&mode, speed)
        var isFramed = try apply(framing, speed, baud, to: mode)
        var left = SerialFraming.Parity.none
        if !isFramed, framing.hasParityInEighthBit {
            isFramed = try apply(.standard, speed, baud, to: mode)
            left = framing.parity
        }
        guard isFramed else {
            throw ConnectorError("\(path) does not support \(framing); use another adapter.")
        }
        // The time of earlier input is unknown.
        tcflush(descriptor.number, TCIFLUSH)
        return left
    }

    /// - Returns: whether the driver of the port supports the framing.
    private func apply(
        _ framing: SerialFraming, _ speed: speed_t, _ baud: Int, to mode: termios
    ) throws(ConnectorError) -> Bool {
        var mode = mode
        mode.c_cflag = mode.c_cflag & ~SerialFraming.mask | framing.controlFlags
        // A character with a parity error is read as 0, which no payload has.
        if framing.parity != .none { mode.c_iflag |= tcflag_t(INPCK) }
        mode.c_iflag &= ~tcflag_t(IGNPAR)
        var applied = termios()
        // The call succeeds even if only some settings could be applied, and fails if none could.
        let isSet = tcsetattr(descriptor.number, TCSANOW, &mode) == 0
        guard isSet || framing != .standard, tcgetattr(descriptor.number, &applied) == 0,
            !isSet || cfgetospeed(&applied) == speed
        else { throw ConnectorError("\(path) cannot be set to \(baud) baud.") }
        return isSet && applied.c_cflag & SerialFraming.mask == framing.controlFlags
    }

    private static func cannotOpen(_ path: String, _ error: Int32) -> ConnectorError {
        switch error {
        case ENOENT, ENODEV, ENXIO:
            ConnectorError(
                "\(path) does not exist; plug the device in, or see: ls -l /dev/serial/by-id")
        case EACCES, EPERM:
            ConnectorError(
                "\(path) cannot be opened: permission denied; run: sudo usermod -aG dialout $USER, then log in again."
            )
        case EBUSY:
            ConnectorError("\(path) is in use by another program; close that first.")
        default: ConnectorError("\(path) cannot be opened: \(text(error)).")
        }
    }

    private static func text(_ error: Int32) -> String { String(cString: strerror(error)) }

    /// CRTSCTS of termios(3), missing from the Glibc module.
    private static let hardwareFlow: tcflag_t = 0x8000_0000
}

/// The bits of a character on a serial line.
struct SerialFraming: Hashable, Sendable, CustomStringConvertible {
    /// The parity bit.
    enum Parity: String, CaseIterable, Sendable {
        case none, even, odd

        /// A character of seven bits whose eighth is its parity: without it, and 0 if it is wrong.
        func checked(_ byte: UInt8) -> UInt8 { completed(byte & 0x7F) == byte ? byte & 0x7F : 0 }

        /// A character of seven bits with its parity as the eighth.
        func completed(_ byte: UInt8) -> UInt8 {
            let isOdd = (byte & 0x7F).nonzeroBitCount % 2 == 1
            return switch self {
            case .none: byte
            case .even: byte & 0x7F | (isOdd ? 0x80 : 0)
            case .odd: byte & 0x7F | (isOdd ? 0 : 0x80)
            }
        }
    }

    /// 8 data bits, no parity, one stop bit.
    static let standard = SerialFraming(bits: 8, parity: .none, stop: 1)
    /// The control flags of termios(3) that it sets.
    static let mask = tcflag_t(CSIZE | PARENB | PARODD | CSTOPB)

    let bits: Int
    let parity: Parity
    let stop: Int

    /// The flags of ``mask`` that it needs.
    var controlFlags: tcflag_t {
        var flags = tcflag_t(bits == 7 ? CS7 : CS8)
        if stop == 2 { flags |= tcflag_t(CSTOPB) }
        if parity != .none { flags |= tcflag_t(PARENB) }
        if parity == .odd { flags |= tcflag_t(PARODD) }
        return flags
    }

    /// Whether its parity is where ``standard`` has the eighth bit.
    ///
    /// Some adapters and all pseudo-terminals have no other framing.
    var hasParityInEighthBit: Bool { bits == 7 && parity != .none && stop == 1 }

    /// Such as `7E1`.
    var description: String {
        let letter =
            switch parity {
            case .none: "N"
            case .even: "E"
            case .odd: "O"
            }
        return "\(bits)\(letter)\(stop)"
    }
}

/// The baud rates of termios(3).
enum BaudRate {
    private static let speeds: [Int: Int32] = [
        300: B300, 600: B600, 1200: B1200, 2400: B2400, 4800: B4800, 9600: B9600, 19_200: B19200,
        38_400: B38400, 57_600: B57600, 115_200: B115200, 230_400: B230400, 460_800: B460800,
        500_000: B500000, 576_000: B576000, 921_600: B921600, 1_000_000: B1000000,
        1_500_000: B1500000, 2_000_000: B2000000, 3_000_000: B3000000, 4_000_000: B4000000,
    ]

    /// All rates, the slowest first.
    static var all: [Int] { speeds.keys.sorted() }

    /// - Returns: `nil` for an unsupported rate.
    static func speed(of rate: Int) -> speed_t? {
        speeds[rate].map { speed_t($0) }
    }
}

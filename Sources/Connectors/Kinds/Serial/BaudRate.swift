import Glibc

/// The speeds of serial ports in bits a second, as termios(3) names them.
enum BaudRate {
    private static let speeds: [Int: Int32] = [
        300: B300, 600: B600, 1200: B1200, 2400: B2400, 4800: B4800, 9600: B9600, 19_200: B19200,
        38_400: B38400, 57_600: B57600, 115_200: B115200, 230_400: B230400, 460_800: B460800,
        500_000: B500000, 576_000: B576000, 921_600: B921600, 1_000_000: B1000000,
        1_500_000: B1500000, 2_000_000: B2000000, 3_000_000: B3000000, 4_000_000: B4000000,
    ]

    /// Every rate, from the slowest.
    static var all: [Int] { speeds.keys.sorted() }

    /// - Returns: `nil` for a rate that is not among the usual.
    static func speed(of rate: Int) -> speed_t? {
        speeds[rate].map { speed_t($0) }
    }
}

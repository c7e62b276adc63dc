import Foundation
import Glibc

/// The rate at which lines of a serial port are stored, measured with a pseudo-terminal.
enum SerialLines {
    private static let count = 200_000
    // ioctl_tty(2), which the Glibc module leaves out.
    private static let unlock: UInt = 0x4004_5431
    private static let numberOf: UInt = 0x8004_5430

    static func figures() async throws -> [Figure] {
        let folder = try BenchFolder()
        defer { folder.remove() }
        let lines = Array((0..<count).map { "\($0 % 1000),\($0 % 7),42\n" }.joined().utf8)
        var rates: [Double] = []
        var limits: [Double] = []
        for round in 0..<5 {
            limits.append(try await alone(lines))
            rates.append(try await stored(lines, in: "\(folder.path)/data\(round)"))
        }
        return [
            Figure(
                name: "lines of a serial port into the store", unit: "/s", rounds: rates,
                limit: String(
                    format: "reading the terminal alone: %.0f /s", Figure.median(limits)))
        ]
    }

    private static func terminal() throws -> (master: Int32, path: String) {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (number, lock): (Int32, Int32) = (0, 0)
        guard master >= 0, ioctl(master, unlock, &lock) == 0, ioctl(master, numberOf, &number) == 0
        else { throw Programs.Failure(description: "no pseudo-terminal") }
        return (master, "/dev/pts/\(number)")
    }

    /// Writes all bytes on a separate thread, which blocks while the terminal's buffer is full.
    private static func write(_ bytes: [UInt8], to master: Int32) {
        Thread {
            var sent = 0
            while sent < bytes.count {
                let more = bytes.withUnsafeBytes { raw in
                    Glibc.write(
                        master, raw.baseAddress.map { $0 + sent }, min(4096, bytes.count - sent))
                }
                guard more > 0 else { return }
                sent += more
            }
        }.start()
    }

    private static func alone(_ lines: [UInt8]) async throws -> Double {
        let (master, path) = try terminal()
        let slave = open(path, O_RDONLY | O_NOCTTY)
        var settings = termios()
        tcgetattr(slave, &settings)
        cfmakeraw(&settings)
        tcsetattr(slave, TCSANOW, &settings)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let taken = await seconds {
            write(lines, to: master)
            var read = 0
            while read < lines.count {
                let more = Glibc.read(slave, &buffer, buffer.count)
                guard more > 0 else { break }
                read += more
            }
        }
        close(slave)
        close(master)
        return Double(count) / taken
    }

    private static func stored(_ lines: [UInt8], in folder: String) async throws -> Double {
        let (master, path) = try terminal()
        defer { close(master) }
        let pack = """
            {"id": "bench", "title": "bench", "payload": {"format": "csv"},
             "fields": [{"name": "x", "from": "1"}, {"name": "y", "from": "2"},
                        {"name": "z", "from": "3"}],
             "source": {"kind": "serial", "device": "\(path)", "skip": 0}}
            """
        let (stored, taken) = try await Intake.stored(pack, in: folder, count: count) {
            write(lines, to: master)
        }
        return Double(stored) / taken
    }
}

import Foundation
import TestSupport
import Testing

/// The addresses at which a serving host can be reached.
@Suite(.blocking)
struct ReachTests {
    /// The network sockets of a process, from the kernel's tables.
    private struct Socket: Hashable {
        let table: String
        let address: String
        let isListening: Bool

        static func all(of process: Int32) throws -> [Socket] {
            let folder = "/proc/\(process)"
            let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd")
            let own = Set(
                names.compactMap { name in
                    try? FileManager.default.destinationOfSymbolicLink(
                        atPath: "\(folder)/fd/\(name)")
                })
            var sockets: [Socket] = []
            for table in ["tcp", "tcp6", "udp", "udp6", "raw", "raw6"] {
                let text = try text(of: "\(folder)/net/\(table)")
                for line in text.split(separator: "\n").dropFirst() {
                    let fields = line.split(separator: " ").map(String.init)
                    guard fields.count > 9, own.contains("socket:[\(fields[9])]") else { continue }
                    let address = String(fields[1].prefix { $0 != ":" })
                    sockets.append(
                        Socket(table: table, address: address, isListening: fields[3] == "0A"))
                }
            }
            return sockets
        }

        /// The whole table.
        ///
        /// The kernel returns a page of it at a time, which Foundation takes for the whole file.
        private static func text(of path: String) throws -> String {
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? file.close() }
            var bytes = Data()
            while let page = try file.read(upToCount: 1 << 16), !page.isEmpty { bytes += page }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    @Test func `a host listens on this machine only, and announces nothing`() throws {
        let sandbox = try Sandbox()
        let host = try ServingHost(sandbox)
        #expect(try sandbox.curl(host.url("/health")).status == 200)
        let sockets = try Socket.all(of: host.pid)
        // 127.0.0.1 in the byte order of the machine.
        let loopback = String(UInt32(0x7F00_0001).bigEndian, radix: 16, uppercase: true)
        let padded = String(repeating: "0", count: 8 - loopback.count) + loopback
        // ::1, in four words; a machine may have no IPv6.
        let six = String(repeating: "0", count: 24) + "01000000"
        let addresses = Set(sockets.filter(\.isListening).map(\.address))
        #expect([[padded], [padded, six]].contains(addresses), "\(addresses)")
        #expect(sockets.filter { !$0.table.hasPrefix("tcp") }.isEmpty)
    }

    @Test func `a host that starts while a command uses the data waits for it`() throws {
        let sandbox = try Sandbox()
        try FileManager.default.createDirectory(
            atPath: sandbox.data, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let lock = open(sandbox.data + "/host.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
        Thread.detachNewThread {
            usleep(500_000)
            close(lock)
        }
        let host = try ServingHost(sandbox)
        #expect(try sandbox.curl(host.url("/health")).status == 200)
        // A serving host is not waited for: compared with a command that never waits.
        let clock = ContinuousClock()
        let usual = try clock.measure {
            let status = try sandbox.nervous("status")
            #expect(status.code == 0)
        }
        let took = try clock.measure {
            let second = try sandbox.nervous("serve", "--port", "0")
            #expect(second.code == 75)
            #expect(second.errors.contains("process \(host.pid)"))
        }
        #expect(took < .seconds(5) + usual * 2)
    }
}

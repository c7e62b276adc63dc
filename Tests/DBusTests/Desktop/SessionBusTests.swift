import Foundation
import Glibc
import Testing

@testable import DBus

/// The address of the session bus.
struct SessionBusTests {
    @Test func `the session bus address is that of the environment, or the default`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "bus ä%-\(UInt32.random(in: 0...UInt32.max))").path(
                percentEncoded: false)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let runtime = ["XDG_RUNTIME_DIR": folder]
        #expect(DesktopMessages.address(in: [:]) == nil)
        #expect(DesktopMessages.address(in: runtime) == nil)
        try Data().write(to: URL(filePath: "\(folder)/bus"))
        #expect(DesktopMessages.address(in: runtime) == nil)
        try FileManager.default.removeItem(atPath: "\(folder)/bus")
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) {
            $0.copyBytes(from: Array("\(folder)/bus".utf8))
        }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(bound == 0)
        let found = try #require(DesktopMessages.address(in: runtime))
        #expect(found.hasPrefix("unix:path=/"))
        #expect(found.contains("bus%20%c3%a4%25-"))
        #expect(found.hasSuffix("/bus"))
        #expect(
            DesktopMessages.address(
                in: runtime.merging(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"]) { $1 })
                == "unix:path=/x")
        #expect(DesktopMessages.address(in: ["XDG_RUNTIME_DIR": "relative"]) == nil)
    }
}

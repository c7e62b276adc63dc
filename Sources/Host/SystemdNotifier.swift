import Dispatch
import Foundation
import Glibc
import Text

/// Notifies systemd of the state of this process, as sd_notify(3) describes; without
/// `NOTIFY_SOCKET` it does nothing.
///
/// ```swift
/// SystemdNotifier.standard.ready()
/// ```
package struct SystemdNotifier: Sendable {
    /// The notifier of this process.
    package static let standard = SystemdNotifier(
        environment: ProcessInfo.processInfo.environment)

    private static let statusLimit = 200

    private let path: String?

    package init(environment: [String: String]) {
        path = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The service of `Type=notify` has started, or has read its configuration again.
    ///
    /// - Parameter status: a sentence that `systemctl status` shows.
    package func ready(_ status: String? = nil) {
        let line = status.map { "\nSTATUS=\($0.escapedForDisplay(limit: Self.statusLimit))" }
        send("READY=1" + (line ?? ""))
    }

    /// The service reads its configuration again, until ``ready(_:)`` is called.
    package func reloading() {
        // On Linux this is CLOCK_MONOTONIC, as systemd requires.
        let microseconds = DispatchTime.now().uptimeNanoseconds / 1000
        send("RELOADING=1\nMONOTONIC_USEC=\(microseconds)")
    }

    /// Tells systemd's watchdog that the service works; see ``SystemdWatchdog``.
    func notifyWatchdog() { send("WATCHDOG=1") }

    private func send(_ text: String) {
        guard let path else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        // The name of an abstract socket begins with a zero byte.
        if name.first == UInt8(ascii: "@") { name[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = MemoryLayout<sa_family_t>.size + name.count
        let message = Array(text.utf8)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(
                    descriptor, message, message.count, Int32(MSG_NOSIGNAL), $0, socklen_t(length))
            }
        }
    }
}

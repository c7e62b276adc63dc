import API
import Foundation
import Provider

/// The host that serves, if one does: its version and its port; else whether the port is free.
struct HostCheck: DoctorCheck {
    let name = "host"

    func findings(_ context: DoctorContext) async -> [Finding] {
        let socket = context.paths.controlSocket
        guard HostSession.isListening(socket) else {
            return [fine("no host runs on this data directory"), port(8080)]
        }
        do {
            let status = try await ControlClient.with(socket: socket) { client in
                try await client.get(HostStatus.self, "/api/v1/status")
            }
            var findings = [version(of: status)]
            if let failure = status.failure {
                findings.append(
                    broken("It cannot write samples: \(failure)", fix: "nervous status"))
            }
            if let port = status.port { findings.append(fine("it serves on port \(port)")) }
            return findings
        } catch {
            return [
                broken(
                    "A host listens at \(socket) and does not answer: \(CommandFailure(error).message)",
                    fix: "Stop it, and start it again: nervous serve")
            ]
        }
    }

    private func version(of status: HostStatus) -> Finding {
        guard status.version == Version.number else {
            return broken(
                "Process \(status.pid) runs version \(status.version), and this is \(Version.number).",
                fix: "Start it anew: kill \(status.pid); nervous serve")
        }
        return fine("process \(status.pid) runs since \(Format.time(status.started))")
    }

    private func port(_ number: UInt16) -> Finding {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else {
            return broken("There is no network on this machine, not even to itself.")
        }
        defer { close(descriptor) }
        // As the server does, so that a connection which is still closing is no obstacle.
        var yes: Int32 = 1
        setsockopt(
            descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = number.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result != 0 else { return fine("port \(number) is free") }
        return note(
            "Port \(number) is taken by another program.", fix: "nervous serve --port 0")
    }
}

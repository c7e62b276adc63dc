import API
import Foundation
import Host
import RunnerProtocol

/// Checks the version and port of the serving host; if no host serves, whether port 8080 is free.
struct HostCheck: DoctorCheck {
    let name = "host"

    func findings(_ context: DoctorContext) async -> [Finding] {
        let socket = context.paths.controlSocket
        do {
            guard try HostSession.isListening(socket) else {
                return [fine("no host runs on this data directory"), port(8080)]
            }
        } catch {
            return [broken(error.message, fix: error.hint)]
        }
        do {
            let status = try await ControlTransport.with(socket: socket) { client in
                try await client.status().value
            }
            var findings = [version(of: status)]
            if let failure = status.failure {
                findings.append(
                    broken("The host cannot write samples: \(failure)", fix: "nervous status"))
            }
            if let port = status.port { findings.append(fine("the host serves on port \(port)")) }
            return findings
        } catch {
            return [
                broken(
                    "The host at \(socket) does not respond: \(CommandFailure(error).message)",
                    fix: "Stop and restart it: nervous serve")
            ]
        }
    }

    private func version(of status: HostStatus) -> Finding {
        guard status.version == Release.version else {
            return broken(
                "Process \(status.pid) has version \(status.version), but nervous has \(Release.version).",
                fix: "Restart it: kill \(status.pid); nervous serve")
        }
        return fine("process \(status.pid) has been running since \(Format.time(status.started))")
    }

    private func port(_ number: Int) -> Finding {
        do {
            _ = try LoopbackPort(number)
            return fine("port \(number) is free")
        } catch {
            return note(error.message, fix: "nervous serve --port 0")
        }
    }
}

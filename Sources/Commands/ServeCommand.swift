import AppStorage
import ArgumentParser
import Auth
import Foundation
import Glibc
import Host
import NIOCore
import ServiceLifecycle
import UnixSignals
import VM

/// Collects samples and serves the API until it is stopped.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Collect samples and serve http://localhost:PORT until stopped.",
        discussion: """
            One host owns the data directory; while it runs, all other commands use it.
            Stop it with Ctrl-C or `kill PID`: it writes pending samples and exits within
            10 seconds. With --log-format json each line of its log is JSON.
            """)

    @OptionGroup var options: GlobalOptions

    @Option(help: "The port on the loopback interface; 0 for any free port.")
    var port = 8080

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port must be a number from 0 to 65535.")
        }
    }

    func run() async throws {
        let (console, options) = (options.console, options)
        OpenFiles.raiseLimit()
        let services = try await HostSession.lastingServices(options.host)
        defer { unlink(services.paths.controlSocket) }
        let group = try services.group(
            collects: true, socket: services.paths.controlSocket, tcpPort: port,
            signals: [.sigterm, .sigint]
        ) { taken in
            await announce(services, port: taken ?? 0)
        }
        do {
            try await withThrowingTaskGroup { tasks in
                tasks.addTask { try await group.run() }
                tasks.addTask {
                    // From 0: also notices from before this task started.
                    let (notices, _) = await services.authority.noticeBoard.watch(after: 0)
                    for await notice in notices {
                        console.say(options.logFormat.notice(notice.line))
                    }
                }
                try await tasks.next()
                tasks.cancelAll()
            }
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw CommandFailure(
                .unavailable, "Port \(port) is already in use.",
                hint: "Choose another with --port N, or any free one with --port 0.",
                type: "port-in-use")
        } catch let error as IOError where error.errnoCode == EACCES {
            throw CommandFailure(
                .noPermission, "Permission denied to listen on port \(port).",
                hint: "Ports below 1024 require root: choose another with --port N.",
                type: "port-not-allowed")
        }
    }

    private struct Report: Encodable {
        let pid: Int32
        let port: Int
        let sensors: Int
    }

    private func announce(_ services: HostServices, port: Int) async {
        let statuses = await services.machine.statuses()
        let on = statuses.filter { $0.state == .available && $0.level != .off }.count
        if options.json {
            let report = Report(pid: getpid(), port: port, sensors: on)
            try? options.console.print(encoding: report)
        } else {
            let lines = [
                "Collecting \(on) sensors into \(services.paths.data)",
                "Serving at http://localhost:\(port)/ (process \(getpid())); stop with Ctrl-C",
            ]
            for line in lines { options.console.say(options.logFormat.notice(line)) }
        }
        SystemdNotifier.ready()
    }
}

/// The limit of open files and connections of this process.
private enum OpenFiles {
    /// Raises the limit to the maximum: idle connections alone could exhaust the usual thousand.
    ///
    /// Does nothing if the system refuses.
    static func raiseLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 65_536)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

extension Notice {
    /// One line for the log of a host; an app's message begins with the app's name.
    fileprivate var line: String {
        switch content {
        case .message(let message):
            "\(message.app) says: "
                + [message.title, message.body].compactMap(\.self).joined(separator: " – ")
        case .refusal(let message, let operation): "refused: \(message) (\(operation))"
        }
    }
}

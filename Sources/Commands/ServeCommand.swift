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
            Only one host at a time can use a data directory. While this host runs, other
            commands connect to it. `nervous open` opens its dashboard.
            Stop it with Ctrl-C or `kill PID`: it writes pending samples and exits within
            10 seconds. SIGHUP and `nervous reload` apply changes of the configuration and
            the policy. With --log-format json, each line of its log is JSON. (Every
            command accepts this option; --help does not list it.)

            With --lan, or "lan" in config.json, phones of the local network can push
            samples over TLS, and do nothing else. See docs/sending-from-a-phone.md.
            """)

    @OptionGroup var options: GlobalOptions

    @Option(help: "The port on the loopback interface; 0 for any free port.")
    var port = 8080

    @Option(
        help: ArgumentHelp(
            "Accept pushed samples from the local network on this port, such as 8443.",
            valueName: "port"))
    var lan: Int?

    @Option(
        help: ArgumentHelp(
            "Write collected samples this often, 0s to 10m.",
            discussion: "Default: \"flush\" in config.json, or 10s.",
            valueName: "duration"))
    var flush: String?

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port must be a number from 0 to 65535.")
        }
        guard (0...65_535).contains(lan ?? 0) else {
            throw ValidationError("--lan must be a port, a number from 0 to 65535.")
        }
        guard flush == nil || flushInterval != nil else {
            throw ValidationError("--flush \(Configuration.flushHint).")
        }
    }

    private var flushInterval: Duration? { flush.flatMap(Configuration.flushInterval) }

    func run() async throws {
        let (console, options) = (options.console, options)
        OpenFiles.raiseLimit()
        let terminal = OwnTerminal()
        let services = try await HostSession.longRunningServices(
            options.host, flush: flushInterval)
        defer { unlink(services.paths.controlSocket) }
        let tcp: LoopbackPort
        let group: ServiceGroup
        do {
            tcp = try LoopbackPort(port)
            let localNetwork = try services.localNetworkListener(port: lan)
            group = try services.group(
                collects: true, socket: services.paths.controlSocket, tcp: tcp,
                localNetwork: localNetwork, signals: [.sigterm, .sigint]
            ) { taken in
                await announce(services, port: taken ?? 0, localNetwork: localNetwork?.urls)
            }
        } catch {
            await services.close()
            throw error
        }
        if !tcp.hasIPv6 {
            console.say(
                options.logFormat.notice(
                    "This machine has no IPv6 loopback address: serving on 127.0.0.1 only."))
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
                tasks.addTask {
                    for await _ in await UnixSignalsSequence(trapping: .sighup) {
                        if terminal.isClosed {
                            await group.triggerGracefulShutdown()
                        } else {
                            await reload(services)
                        }
                    }
                }
                try await tasks.next()
                tasks.cancelAll()
            }
        } catch let error as IOError where [EADDRINUSE, EACCES].contains(error.errnoCode) {
            // Another program began to listen after the port was reserved.
            throw LoopbackPort.failure(error.errnoCode, port: tcp.number, address: "loopback")
        }
    }

    /// Applies changes of the configuration and the policy, and logs the result.
    private func reload(_ services: HostServices) async {
        var line: String
        var severity = LogSeverity.notice
        SystemdNotifier.standard.reloading()
        do throws(CommandFailure) {
            let rest = try await services.reload()
            line = "Applied the policy, the budgets and the flush interval."
            if !rest.isEmpty {
                line += " Changes of \(rest.joined(separator: ", ")) need a restart."
                severity = .warning
            }
        } catch {
            line = "Nothing was changed. \(error.message)"
            severity = .error
        }
        options.console.say(options.logFormat.notice(line, severity))
        SystemdNotifier.standard.ready(line)
    }

    private struct Report: Encodable {
        let pid: Int32
        let port: Int
        let sensors: Int
        /// The URLs in the local network; missing without a listener.
        let lan: [String]?
    }

    /// - Parameter localNetwork: the URLs in the local network; `nil` without a listener.
    private func announce(_ services: HostServices, port: Int, localNetwork: [String]?) async {
        let statuses = await services.machine.statuses()
        let on = statuses.filter { $0.state == .available && $0.level != .off }.count
        if options.json {
            let report = Report(pid: getpid(), port: port, sensors: on, lan: localNetwork)
            try? options.console.print(encoding: report)
        } else {
            var lines = [
                "Collecting \(on) sensors into \(services.paths.data)",
                "Serving at http://localhost:\(port)/ (process \(getpid())); stop with Ctrl-C",
                "Open the dashboard with: nervous open",
            ]
            if let localNetwork {
                lines.append(
                    "Listening on the local network at \(localNetwork.joined(separator: ", ")):"
                        + " only for samples pushed with the token of a phone or program")
            }
            for line in lines { options.console.say(options.logFormat.notice(line)) }
        }
        SystemdNotifier.standard.ready("Serving at http://localhost:\(port)/")
    }
}

/// The terminal that the command was started in.
private struct OwnTerminal {
    private let descriptors = (0...2).filter { isatty(Int32($0)) == 1 }.map(Int32.init)

    /// Whether a terminal that the command had is closed; SIGHUP then ends the command.
    var isClosed: Bool { descriptors.contains { isatty($0) != 1 } }
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
        case .alert(let title, let body, _): "alert: \(title) – \(body)"
        case .refusal(let message, let operation): "refused: \(message) (\(operation))"
        }
    }
}

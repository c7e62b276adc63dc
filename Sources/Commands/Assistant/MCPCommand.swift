import ArgumentParser
import Glibc
import Host
import Ingest
import MCP
import RunnerProtocol
import Samples
import Scheduling

/// Serves an assistant over the Model Context Protocol, on standard input and output.
struct MCPCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Let an assistant read your sensors over the Model Context Protocol.",
        discussion: """
            An assistant starts this command and talks to it on standard input and output. Its configuration, \
            with a name of your choice:
              {"mcpServers": {"nervous":
                {"command": "nervous", "args": ["mcp", "--as", "claude"]}}}

            A new name may read statistics of the sensors that you have now, except positions, and only while the \
            assistant runs. If it wants more, a request waits for you in the dashboard (nervous open). \
            `nervous log NAME` shows what it has read, and `nervous token revoke NAME` revokes its access.
            """)

    @OptionGroup var options: GlobalOptions

    @Option(
        name: .customLong("as"),
        help: "The name under which the assistant gets permissions, in kebab-case.",
        completion: .names(.token))
    var name: String

    func validate() throws {
        guard SensorID(name) != nil, !name.contains("."), name.utf8.count <= 64 else {
            throw ValidationError("--as takes a name in kebab-case, at most 64 characters.")
        }
    }

    func run() async throws {
        let console = options.console
        if isatty(STDIN_FILENO) == 1 {
            console.say("Waiting for an assistant on standard input; see: nervous mcp --help")
        }
        let connection = AssistantConnection(name, options.host.paths, console: console)
        let server = MCPServer(version: Release.version, access: connection) { line in
            OutputGate.standard.write(line + "\n", to: STDOUT_FILENO)
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await StandardInput().serve(server) }
            group.addTask {
                for await _ in await Interruptions().listen() { return }
            }
            group.addTask { await connection.keepAlive() }
            await group.next()
            await server.close()
            await connection.end()
            // A read of standard input cannot be cancelled.
            Glibc.exit(ExitCode.success.rawValue)
        }
    }
}

/// The lines of standard input, read on a thread that may block.
private struct StandardInput {
    private static let chunk = 64 << 10

    private let executor = BlockingExecutor(label: "mcp.input", isSerial: true)

    /// Gives each line to a server, until the input ends.
    func serve(_ server: MCPServer) async {
        var splitter = LineSplitter(limit: MCPServer.longestLine)
        while let bytes = await read() {
            let overlong = splitter.overlong
            for line in splitter.take(bytes) { await server.receive(line) }
            for _ in overlong..<splitter.overlong { await server.refuseLongLine() }
        }
        if let line = splitter.end() { await server.receive(line) }
    }

    /// The next bytes; `nil` at the end of the input.
    private func read() async -> [UInt8]? {
        await withTaskExecutorPreference(executor) {
            while true {
                var count = 0
                let bytes = [UInt8](unsafeUninitializedCapacity: Self.chunk) { buffer, taken in
                    count = Glibc.read(STDIN_FILENO, buffer.baseAddress, Self.chunk)
                    taken = max(0, count)
                }
                if count > 0 { return bytes }
                guard count < 0, errno == EINTR else { return nil }
            }
        }
    }
}

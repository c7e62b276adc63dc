import Foundation
import Glibc
import RunnerProtocol

/// The time from `exec` of the runner to an app's first line of output, and the memory of the app
/// while it waits.
enum ColdStart {
    static let rounds = 40

    static func figures() async throws -> [Figure] {
        var starts: [Double] = []
        var proportional: [Double] = []
        var own: [Double] = []
        var unconfined: [Double] = []
        for _ in 0..<rounds {
            let (milliseconds, memory) = try await oneStart()
            starts.append(milliseconds)
            unconfined.append(try await oneStart(arguments: ["--insecure-no-sandbox"]).0)
            proportional.append(memory["Pss"] ?? .nan)
            own.append((memory["Private_Clean"] ?? 0) + (memory["Private_Dirty"] ?? 0))
        }
        var floor: [Double] = []
        for _ in 0..<rounds {
            floor.append(try await seconds { try Programs.run("/bin/true", []) } * 1000)
        }
        let baseline = Figure(name: "", unit: "ms", rounds: floor, limit: "").median
        var node = ""
        if let path = ["/usr/bin/node", "/usr/local/bin/node"].first(
            where: FileManager.default.isExecutableFile)
        {
            var times: [Double] = []
            for _ in 0..<10 {
                times.append(try await seconds { try Programs.run(path, ["-e", "0"]) } * 1000)
            }
            let median = Figure(name: "", unit: "", rounds: times, limit: "").median
            node = String(format: "; node -e 0: %.0f ms", median)
        }
        return [
            Figure(
                name: "app cold start, exec to first line", unit: "ms", rounds: starts,
                limit: String(format: "starting /bin/true: %.1f ms", baseline) + node),
            Figure(
                name: "the part of that for the confinement", unit: "ms",
                rounds: zip(starts, unconfined).map { $0 - $1 },
                limit: "difference from a start without it, in pairs"),
            Figure(
                name: "memory of a waiting app, proportional (PSS)", unit: "MiB",
                rounds: proportional, limit: "one app: shared pages count in full"),
            Figure(
                name: "private memory of a waiting app", unit: "MiB", rounds: own,
                limit: "private clean and dirty"),
        ]
    }

    /// - Returns: the time in milliseconds, and the value of each field of `smaps_rollup` in MiB.
    private static func oneStart(
        arguments: [String] = []
    ) async throws -> (Double, [String: Double]) {
        var ends: [Int32] = [-1, -1]
        guard
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0
        else { throw Programs.Failure(description: "no socket pair") }
        defer { close(ends[0]) }
        let program = try Programs.path("nervous-runner")
        var pid: pid_t = 0
        var memory: [String: Double] = [:]
        let taken = try await seconds {
            pid = try spawn(program, arguments, socket: ends[1])
            close(ends[1])
            let script = "console.log('first line'); setTimeout(() => {}, 1e6);"
            try send([.load(name: "app.js", source: script), .loaded], to: ends[0])
            try awaitConsole(from: ends[0])
        }
        let text = try String(contentsOfFile: "/proc/\(pid)/smaps_rollup", encoding: .utf8)
        for line in text.split(separator: "\n") {
            let words = line.split(whereSeparator: { $0 == " " || $0 == ":" })
            if words.count == 3, let kibibytes = Double(words[1]) {
                memory[String(words[0])] = kibibytes / 1024
            }
        }
        kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
        return (taken * 1000, memory)
    }

    /// The microseconds that a runner without an app takes to answer a ping: one mean for each round.
    static func pings() async throws -> [Double] {
        var ends: [Int32] = [-1, -1]
        guard
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0
        else { throw Programs.Failure(description: "no socket pair") }
        let pid = try spawn(try Programs.path("nervous-runner"), [], socket: ends[1])
        close(ends[1])
        defer {
            kill(pid, SIGKILL)
            waitpid(pid, nil, 0)
            close(ends[0])
        }
        var buffer = [UInt8](repeating: 0, count: 4096)
        // First the runner reports that it is ready.
        guard read(ends[0], &buffer, buffer.count) > 0 else {
            throw Programs.Failure(description: "the runner ended")
        }
        var rounds: [Double] = []
        for _ in 0..<5 {
            rounds.append(
                try await seconds {
                    for number in 0..<1000 {
                        try send([.ping(UInt32(number))], to: ends[0])
                        _ = read(ends[0], &buffer, buffer.count)
                    }
                } * 1000)
        }
        return rounds
    }

    private static func spawn(
        _ program: String, _ arguments: [String], socket: Int32
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, socket, 3)
        let words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let environment: [UnsafeMutablePointer<CChar>?] = [nil]
        var pid: pid_t = 0
        guard posix_spawn(&pid, program, &actions, nil, words, environment) == 0 else {
            throw Programs.Failure(description: "cannot start \(program)")
        }
        return pid
    }

    private static func send(_ frames: [HostFrame], to socket: Int32) throws {
        let bytes = frames.flatMap { $0.encoded() }
        guard write(socket, bytes, bytes.count) == bytes.count else {
            throw Programs.Failure(description: "the runner does not read")
        }
    }

    private static func awaitConsole(from socket: Int32) throws {
        var reader = FrameReader<RunnerFrame>()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            while let frame = try reader.next() {
                if case .console = frame { return }
            }
            let count = read(socket, &buffer, buffer.count)
            guard count > 0 else { throw Programs.Failure(description: "the runner ended") }
            reader.append(buffer.prefix(count))
        }
    }
}

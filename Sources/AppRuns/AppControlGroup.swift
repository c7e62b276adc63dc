import Glibc

/// The control group of all apps, below the one that systemd has delegated to the host's unit.
///
/// The kernel then bounds their memory, processes and share of the processor together, also if the host is not
/// scheduled in time. Without it, ``SharedBudget`` alone bounds them.
///
/// Source: "Control Group v2" of the kernel's documentation; systemd.resource-control(5), `Delegate=`.
public struct AppControlGroup: Sendable {
    /// The controllers that can be delegated, in the order in which they are reported.
    private static let wanted = ["cpu", "memory", "pids"]
    /// Bytes of the zygote, and of what every runner has besides its heap.
    private static let engineBytes = 512 << 20
    /// Threads of a runner, and of the zygote.
    private static let threads = 4
    /// The share of the apps while the host, which has 100, needs the processor, too.
    private static let weight = 20

    /// The controllers that bound the apps.
    public let controllers: [String]
    private let path: String

    /// Moves this process into a group `host` and creates the group `apps` beside it.
    ///
    /// - Parameters:
    ///   - mount: where version 2 of the control groups is mounted.
    ///   - membership: the file that names the groups of this process.
    /// - Returns: `nil` if the host is not a unit of systemd, or nothing was delegated to it.
    public init?(
        _ budget: TotalBudget, mount: String = "/sys/fs/cgroup",
        membership: String = "/proc/self/cgroup"
    ) {
        guard let lines = Self.read(membership),
            let line = lines.split(separator: "\n").first(where: { $0.hasPrefix("0::/") })
        else { return nil }
        var unit = String(line.dropFirst(3))
        if unit.hasSuffix("/host") { unit.removeLast("/host".count) }
        // A group of a terminal contains other programs, too.
        guard unit.hasSuffix(".service"), !unit.contains("..") else { return nil }
        let root = mount + unit
        guard let text = Self.read(root + "/cgroup.controllers") else { return nil }
        let offered = text.split(whereSeparator: \.isWhitespace).map(String.init)
        let controllers = Self.wanted.filter(offered.contains)
        // Of a group with controllers for its groups, the processes have to be in one of these.
        guard !controllers.isEmpty, Self.make(root + "/host"), Self.make(root + "/apps"),
            Self.write("\(getpid())", to: root + "/host/cgroup.procs"),
            Self.write(
                controllers.map { "+\($0)" }.joined(separator: " "),
                to: root + "/cgroup.subtree_control")
        else { return nil }
        self.controllers = controllers
        path = root + "/apps"
        let memory = budget.memory + Self.engineBytes
        // A limit that this kernel does not have is left out.
        for (name, value) in [
            ("memory.max", memory), ("memory.high", memory / 10 * 9), ("memory.swap.max", 0),
            ("pids.max", (budget.runs + 2) * Self.threads), ("cpu.weight", Self.weight),
        ] {
            _ = Self.write("\(value)", to: "\(path)/\(name)")
        }
    }

    /// Moves a process into the group; those that it forks later are in it, too.
    ///
    /// - Returns: whether it is in the group.
    func add(_ process: pid_t) -> Bool { Self.write("\(process)", to: path + "/cgroup.procs") }

    private static func make(_ folder: String) -> Bool {
        mkdir(folder, 0o755) == 0 || errno == EEXIST
    }

    private static func read(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = max(0, Glibc.read(file, buffer.baseAddress, buffer.count))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func write(_ text: String, to path: String) -> Bool {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        let bytes = Array(text.utf8)
        return Glibc.write(file, bytes, bytes.count) == bytes.count
    }
}

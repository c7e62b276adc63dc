/// Where the kernel's file systems are mounted, so that a fixture tree can stand in for hardware.
public struct SystemRoots: Hashable, Sendable {
    /// The procfs mount, usually `/proc`.
    public let proc: String
    /// The sysfs mount, usually `/sys`.
    public let sys: String
    /// Where device nodes are, usually `/dev`.
    public let dev: String

    public static let standard = SystemRoots(proc: "/proc", sys: "/sys")

    public init(proc: String, sys: String, dev: String = "/dev") {
        self.proc = proc
        self.sys = sys
        self.dev = dev
    }
}

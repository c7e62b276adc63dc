import Foundation
import Synchronization

/// A bus of D-Bus of a test's own, and programs on it; all end with this value.
public final class PrivateBus: Sendable {
    private static let daemon = "/usr/bin/dbus-daemon"
    private static let python = "/usr/bin/python3"
    private static let tool = "/usr/bin/gdbus"

    /// Whether what this needs is there.
    public static var isInstalled: Bool {
        let modules = ["dbus", "gi"].map { "/usr/lib/python3/dist-packages/\($0)/__init__.py" }
        return ([daemon, python, tool] + modules).allSatisfy(FileManager.default.fileExists)
    }

    /// What is said where it is not.
    public static let lack = "dbus-daemon, python3-dbus or python3-gi is missing"

    /// Of the bus, as D-Bus writes it.
    public let address: String
    private let folder: URL
    private let bus = Mutex<Program?>(nil)
    private let programs = Mutex<[Program]>([])

    public init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "bus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        address = "unix:path=\(folder.path(percentEncoded: false))/bus"
        try open()
    }

    deinit {
        close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Where a test may keep something for as long as the bus is there.
    public func path(_ name: String) -> String {
        folder.appending(path: name).path(percentEncoded: false)
    }

    /// Starts the bus, where it was closed, at the same address.
    public func open() throws {
        let program = try Program(
            Self.daemon,
            ["--session", "--nofork", "--print-address=1", "--address=\(address)"],
            environment: [:], output: .pipe)
        bus.withLock { $0 = program }
        guard try program.read(until: { $0.contains(0x0A) }).contains(0x0A) else {
            throw POSIXError(.ECHILD)
        }
    }

    /// Ends the bus, and every program on it.
    public func close() {
        bus.withLock { $0.take() }?.end()
        stopPrograms()
        try? FileManager.default.removeItem(atPath: path("bus"))
    }

    /// Runs Python on the bus and waits until somebody has a name.
    public func start(_ arguments: [String], until name: String) throws {
        let isTraced = ProcessInfo.processInfo.environment["NERVOUS_TEST_TRACE"] != nil
        let program = try Program(
            Self.python, arguments,
            environment: [
                "DBUS_SESSION_BUS_ADDRESS": address, "LC_ALL": "C.UTF-8",
                "PYTHONDONTWRITEBYTECODE": "1",
            ], errors: isTraced ? .inherited : .nothing)
        programs.withLock { $0.append(program) }
        // What waits for a name is the bus's own tool.
        try use(["wait", "--address", address, "--timeout", "30", name])
    }

    /// Calls a method, as `gdbus call` takes it.
    public func call(_ arguments: [String]) throws {
        try use(["call", "--address", address, "--timeout", "30"] + arguments)
    }

    private func use(_ arguments: [String]) throws {
        let tool = try Program(Self.tool, arguments, errors: .inherited)
        guard try tool.wait() == 0 else { throw POSIXError(.ETIMEDOUT) }
    }

    /// Ends the programs; the bus stays.
    public func stopPrograms() {
        for program in programs.withLock({ programs in
            defer { programs = [] }
            return programs
        }) { program.end() }
    }
}

import Foundation
import Synchronization

/// A D-Bus daemon for one test, and programs connected to it; all end with this value.
public final class PrivateBus: Sendable {
    private static let daemon = "/usr/bin/dbus-daemon"
    private static let python = "/usr/bin/python3"
    private static let tool = "/usr/bin/gdbus"
    /// The seconds after which a call fails: a guard against hangs.
    private static let patience = 540

    /// Whether the required programs are installed.
    public static var isInstalled: Bool {
        let modules = ["dbus", "gi"].map { "/usr/lib/python3/dist-packages/\($0)/__init__.py" }
        return ([daemon, python, tool] + modules).allSatisfy(FileManager.default.fileExists)
    }

    /// The reason for skipping a test without them.
    public static let lack = "dbus-daemon, python3-dbus or python3-gi is missing"

    /// The D-Bus address of the bus.
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

    /// A path in a folder that is removed with the bus.
    public func path(_ name: String) -> String {
        folder.appending(path: name).path(percentEncoded: false)
    }

    /// Starts the bus; after ``close()`` at the same address.
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

    /// Ends the bus and every program on it.
    public func close() {
        bus.withLock { $0.take() }?.end()
        stopPrograms()
        try? FileManager.default.removeItem(atPath: path("bus"))
    }

    /// Runs a Python program on the bus and waits until the bus has an owner for a name.
    public func start(_ arguments: [String], until name: String) throws {
        let isTraced = ProcessInfo.processInfo.environment["NERVOUS_TEST_TRACE"] != nil
        let program = try Program(
            Self.python, arguments,
            environment: [
                "DBUS_SESSION_BUS_ADDRESS": address, "LC_ALL": "C.UTF-8",
                "PYTHONDONTWRITEBYTECODE": "1",
            ], errors: isTraced ? .inherited : .nothing)
        programs.withLock { $0.append(program) }
        try use(["wait", "--address", address, "--timeout", "\(Self.patience)", name])
    }

    /// Calls a method, with the arguments of `gdbus call`.
    public func call(_ arguments: [String]) throws {
        try use(["call", "--address", address, "--timeout", "\(Self.patience)"] + arguments)
    }

    private func use(_ arguments: [String]) throws {
        let tool = try Program(Self.tool, arguments, errors: .inherited)
        guard try tool.wait() == 0 else { throw POSIXError(.ETIMEDOUT) }
    }

    /// Ends the programs but not the bus.
    public func stopPrograms() {
        for program in programs.withLock({ programs in
            defer { programs = [] }
            return programs
        }) { program.end() }
    }
}

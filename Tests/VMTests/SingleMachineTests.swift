import Foundation
import Glibc
import Samples
import TestSupport
import Testing

@testable import VM

@Suite(.blocking)
struct SingleMachineTests {
    private let machine: TestMachine

    init() throws {
        machine = try TestMachine()
    }

    @Test func `a second machine on the same data is rejected with the process that holds it`()
        async throws
    {
        let first = try await machine.start()
        let error = await #expect(throws: VirtualMachineError.self) { try await machine.start() }
        #expect(error?.code == .alreadyRunning)
        #expect(error?.holder == getpid())
        #expect(error?.hint != nil)
        await first.close()
    }

    @Test func `of a thousand concurrent starts exactly one succeeds`() async throws {
        let started = try await withThrowingTaskGroup(of: VirtualMachine?.self) { group in
            for _ in 0..<1000 {
                group.addTask {
                    do throws(VirtualMachineError) {
                        return try await machine.start()
                    } catch {
                        #expect(error.code == .alreadyRunning)
                        return nil
                    }
                }
            }
            return try await group.reduce(into: [VirtualMachine]()) { all, machine in
                if let machine { all.append(machine) }
            }
        }
        #expect(started.count == 1)
    }

    @Test func `the data directory is unlocked when its machine is closed`() async throws {
        let sensor = FakeSensor("probe")
        for round in 1...20 {
            let started = try await machine.start(sensor)
            await started.collectOnce()
            #expect(try await started.all("probe").count == round)
            await started.close()
        }
    }

    @Test func `the data directory is unlocked even while another program is starting`()
        async throws
    {
        let first = try await machine.start()
        // Until exec, a child process has a copy of every descriptor.
        let folder = "/proc/self/fd"
        let lock = try FileManager.default.contentsOfDirectory(atPath: folder).first { number in
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "\(folder)/\(number)")
            return target == machine.path + "/host.lock"
        }
        let copy = dup(try #require(lock.flatMap { Int32($0) }))
        defer { Glibc.close(copy) }
        await first.close()
        try await machine.start().close()
    }

    @Test func `another process that holds the lock is named`() async throws {
        let holder = try LockHolder(of: machine.path)
        let error = await #expect(throws: VirtualMachineError.self) { try await machine.start() }
        #expect(error?.code == .alreadyRunning)
        #expect(error?.holder == 4242)
        try await holder.end()
        try await machine.start().close()
    }

    @Test func `a folder that cannot be created is unusable`() async throws {
        try Data().write(to: machine.folder)
        let error = await #expect(throws: VirtualMachineError.self) { try await machine.start() }
        #expect(error?.code == .dataUnusable)
    }

    @Test func `a damaged store fails with its own code and unlocks the data directory`()
        async throws
    {
        try FileManager.default.createDirectory(
            at: machine.folder, withIntermediateDirectories: true)
        let file = machine.folder.appending(path: "samples.sqlite")
        try Data(repeating: 0x41, count: 5000).write(to: file)
        let error = await #expect(throws: VirtualMachineError.self) { try await machine.start() }
        #expect(error?.code == .storeFailed)
        try FileManager.default.removeItem(at: file)
        try await machine.start().close()
    }

    @Test func `the folder is created with mode 0700`() async throws {
        try await machine.start().close()
        let attributes = try FileManager.default.attributesOfItem(atPath: machine.path)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }
}

/// Another process that holds the lock of a data directory, recorded with the process number 4242.
private final class LockHolder: Sendable {
    private let program: Program

    init(of path: String) throws {
        let script =
            #"mkdir -p "$1" && echo 4242 >"$1/host.lock" && exec flock "$1/host.lock" sh -c "echo locked; cat""#
        program = try Program(
            "/bin/sh", ["-c", script, "sh", path], input: .pipe, output: .pipe, errors: .inherited)
        try #require(!program.read { !$0.isEmpty }.isEmpty)
    }

    func end() async throws {
        program.endInput()
        try await program.wait()
    }
}

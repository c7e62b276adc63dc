import Foundation
import TestSupport
import Testing

@testable import AppRuns

/// The limits of all runs together.
struct SharedBudgetTests {
    private typealias Load = SharedBudget.Load

    private static func budget(memory: Int = 100, runs: Int = 3) -> TotalBudget {
        var budget = TotalBudget()
        (budget.memory, budget.runs) = (memory, runs)
        return budget
    }

    @Test func `the runs that have grown most are ended until the rest is within the limit`() {
        var random = SplitMix(state: 7)
        for _ in 0..<500 {
            var shared = SharedBudget(Self.budget(), processors: 2)
            let loads = (0..<Int.random(in: 0...12, using: &random)).map { number in
                Load(run: "\(number)", cpu: .zero, growth: .random(in: -20...60, using: &random))
            }
            let ended = shared.check(loads, at: .now).map { action -> String in
                guard case .end(let run) = action else { return "" }
                return run
            }
            let rest = loads.filter { !ended.contains($0.run) }
            let sum = rest.reduce(0) { $0 + max(0, $1.growth) }
            #expect(sum <= 100 && shared.growth == sum)
            // None was ended that has grown less than one that stays, and none too many.
            let least = loads.filter { ended.contains($0.run) }.map(\.growth).min() ?? .max
            #expect(rest.allSatisfy { $0.growth <= least })
            if !ended.isEmpty { #expect(sum + least > 100) }
        }
    }

    @Test func `runs that keep the processors busy yield, once, and others do not`() {
        var shared = SharedBudget(Self.budget(), processors: 2)
        let start = ContinuousClock.now
        func loads(_ seconds: [Double]) -> [Load] {
            seconds.enumerated().map {
                Load(run: "\($0.offset)", cpu: .seconds($0.element), growth: 0)
            }
        }
        #expect(shared.check(loads([5, 5, 5]), at: start) == [])
        // Less than half of two processors.
        #expect(shared.check(loads([5.5, 5.4, 5.0]), at: start + .seconds(1)) == [])
        // Too soon to judge.
        #expect(shared.check(loads([6.5, 5.9, 5.0]), at: start + .seconds(1.5)) == [])
        let actions = shared.check(loads([6.4, 6.3, 5.01]), at: start + .seconds(2))
        #expect(actions == [.yield(run: "0"), .yield(run: "1")])
        #expect(shared.check(loads([7.4, 7.2, 5.02]), at: start + .seconds(3)) == [])
    }

    @Test func `many runs that share the processors all yield`() {
        var shared = SharedBudget(Self.budget(runs: 100), processors: 2)
        let start = ContinuousClock.now
        func loads(_ cpu: Duration) -> [Load] {
            (0..<60).map { Load(run: "\($0)", cpu: cpu, growth: 0) }
        }
        _ = shared.check(loads(.zero), at: start)
        #expect(shared.check(loads(.milliseconds(33)), at: start + .seconds(1)).count == 60)
    }

    @Test func `a start beyond the limits is refused with what to do`() {
        var shared = SharedBudget(Self.budget(memory: 100 << 20), processors: 2)
        #expect(shared.refusal(with: 2) == nil)
        #expect(shared.refusal(with: 3)?.hint?.contains("budgets.total.runs") == true)
        _ = shared.check([Load(run: "a", cpu: .zero, growth: 95 << 20)], at: .now)
        let refusal = shared.refusal(with: 1)
        #expect(refusal?.code == .conflict)
        #expect(refusal?.message.contains("95 of the 100 MiB") == true)
    }

    @Test func `the machine's memory decides the limit`() {
        let memory = Int(ProcessInfo.processInfo.physicalMemory)
        #expect(TotalBudget().memory >= 512 << 20)
        #expect(TotalBudget().memory <= max(512 << 20, memory / 4 + (1 << 20)))
    }
}

/// The control group of the apps, in a folder that looks like the kernel's.
struct AppControlGroupTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "cgroup-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func write(_ text: String, to path: String) throws {
        let file = folder.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func text(_ path: String) -> String? {
        try? String(contentsOf: folder.appending(path: path), encoding: .utf8)
    }

    private func group(_ membership: String) throws -> AppControlGroup? {
        try write(membership, to: "membership")
        var budget = TotalBudget()
        (budget.memory, budget.runs) = (1 << 30, 10)
        return AppControlGroup(
            budget, mount: folder.path(), membership: folder.appending(path: "membership").path())
    }

    @Test(arguments: ["", "/host"])
    func `the apps get a group with the limits that the kernel offers`(place: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let unit = "user.slice/nervous.service"
        try write("cpuset cpu io memory", to: "\(unit)/cgroup.controllers")
        try write("", to: "\(unit)/cgroup.subtree_control")
        for name in [
            "host/cgroup.procs", "apps/cgroup.procs", "apps/memory.max", "apps/cpu.weight",
        ] {
            try write("", to: "\(unit)/\(name)")
        }
        let group = try #require(try group("1:name=systemd:/\n0::/\(unit)\(place)\n"))
        #expect(group.controllers == ["cpu", "memory"])
        #expect(text("\(unit)/cgroup.subtree_control") == "+cpu +memory")
        #expect(text("\(unit)/host/cgroup.procs") == "\(getpid())")
        #expect(text("\(unit)/apps/memory.max") == "\(3 << 29)")
        #expect(text("\(unit)/apps/cpu.weight") == "20")
        #expect(text("\(unit)/apps/pids.max") == nil)
        #expect(group.add(42))
        #expect(text("\(unit)/apps/cgroup.procs") == "42")
    }

    @Test(arguments: [
        "0::/user.slice/session-1.scope", "0::/", "0::/a/../b.service", "4:memory:/x", "",
    ])
    func `a host in another group stays there`(membership: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write("cpu memory pids", to: "user.slice/session-1.scope/cgroup.controllers")
        try write("cpu memory pids", to: "cgroup.controllers")
        #expect(try group(membership) == nil)
    }
}

import Foundation
import Samples
import Scheduling
import TestSupport
import Testing

@testable import Sealing

@Suite(.blocking)
struct OwnerLockTests {
    private static let costs = Argon2idCosts(memory: 64, passes: 1, lanes: 1)
    private static let right = "correct horse battery"

    private let folder: TestFolder
    private let time = ManualTime()
    private let lock: OwnerLock

    init() throws {
        folder = try TestFolder()
        lock = OwnerLock(folder: folder.path, costs: Self.costs, time: time)
    }

    private func setUp(_ setup: OwnerLock.Setup = .init()) async throws {
        try await lock.setUp(Passphrase(Self.right), setup)
    }

    private func unlock(_ text: String = right) async -> SealingError.Code? {
        do {
            try await lock.unlock(with: .passphrase(Passphrase(text)))
            return nil
        } catch {
            return (error as? SealingError)?.code
        }
    }

    @Test func `a lease of two minutes is open after 119 s and locked after 121 s`() async throws {
        try await setUp()
        let sealed = try lock.seal(Array("value".utf8), for: .secret, at: "a")
        lock.lock()
        #expect(code { try lock.open(sealed, for: .secret, at: "a") } == .locked)
        #expect(await unlock() == nil)
        time.advance(by: .seconds(119))
        #expect(try lock.open(sealed, for: .secret, at: "a").bytes == Array("value".utf8))
        #expect(lock.status.state == .unlocked)
        #expect(lock.status.left == .seconds(1))
        time.advance(by: .seconds(2))
        #expect(code { try lock.open(sealed, for: .secret, at: "a") } == .locked)
        #expect(lock.status.state == .locked)
        #expect(!lock.lock())
        // Sealing needs no unlocking.
        #expect(throws: Never.self) { try lock.seal([1], for: .secret, at: "b") }
    }

    @Test func `use does not lengthen a lease, and the wall clock does not change it`()
        async throws
    {
        try await setUp()
        let sealed = try lock.seal([1], for: .secret, at: "a")
        for _ in 0..<11 {
            time.advance(by: .seconds(10))
            #expect(throws: Never.self) { try lock.open(sealed, for: .secret, at: "a") }
        }
        time.set(to: Timestamp(microseconds: 0))
        #expect(lock.status.state == .unlocked)
        time.advance(by: .seconds(10))
        #expect(lock.status.state == .locked)
    }

    @Test func `the lease is settable while unlocked, and kept`() async throws {
        try await setUp()
        try lock.setLease(seconds: 3600)
        time.advance(by: .seconds(3599))
        #expect(lock.status.state == .unlocked)
        time.advance(by: .seconds(2))
        #expect(code { try lock.setLease(seconds: 60) } == .locked)
        let again = OwnerLock(folder: folder.path, costs: Self.costs, time: time)
        #expect(again.status.lease == .seconds(3600))
        #expect(again.status.state == .locked)
    }

    @Test func `the running lock drops the key when the lease ends, and when it stops`()
        async throws
    {
        try await setUp()
        let (lock, time) = (lock, time)
        let running = Task { await lock.run() }
        await time.waitForSleepers(1)
        await time.run(for: .seconds(121), leaving: 0)
        #expect(lock.status.state == .locked)
        #expect(await unlock() == nil)
        running.cancel()
        await running.value
        #expect(lock.status.state == .locked)
    }

    @Test
    func `ten wrong passphrases make the next ones wait, also the right one and after a restart`()
        async throws
    {
        try await setUp()
        lock.lock()
        for number in 1...5 {
            #expect(await unlock("wrong \(number)") == .wrongPassphrase)
        }
        var waits: [Duration] = []
        for number in 6...10 {
            #expect(await unlock() == .tooManyAttempts)
            let wait = try #require(lock.status.wait)
            waits.append(wait)
            time.advance(by: wait - .seconds(1))
            #expect(await unlock() == .tooManyAttempts)
            time.advance(by: .seconds(1))
            #expect(await unlock("wrong \(number)") == .wrongPassphrase)
        }
        #expect(waits == [30, 60, 120, 240, 480].map { .seconds($0) })
        #expect(lock.status.wrongAttempts == 10)
        let again = OwnerLock(folder: folder.path, costs: Self.costs, time: time)
        #expect(again.status.wait == .seconds(960))
        await #expect(throws: SealingError.self) {
            try await again.unlock(with: .passphrase(Passphrase(Self.right)))
        }
        time.advance(by: .seconds(960))
        try await again.unlock(with: .passphrase(Passphrase(Self.right)))
        #expect(again.status.wrongAttempts == 0)
        #expect(again.status.wait == nil)
        #expect(try folder.names == [OwnerKeyFile.name])
    }

    @Test func `many attempts at once are counted one by one`() async throws {
        try await setUp()
        lock.lock()
        let lock = lock
        let codes = await withTaskGroup(of: SealingError.Code?.self) { group in
            for number in 0..<20 {
                group.addTask {
                    do {
                        try await lock.unlock(with: .passphrase(Passphrase("wrong \(number)")))
                        return nil
                    } catch {
                        return (error as? SealingError)?.code
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let tried = codes.count { $0 == .wrongPassphrase }
        #expect((1...5).contains(tried))
        #expect(codes.count { $0 == .tooManyAttempts } == 20 - tried)
        #expect(lock.status.wrongAttempts == tried)
    }

    @Test func `the passphrase is changed only with the present one, even while unlocked`()
        async throws
    {
        try await setUp()
        let next = try Passphrase("another passphrase")
        await #expect(throws: SealingError.self) {
            try await lock.change(to: next, provedBy: .passphrase(Passphrase("wrong")))
        }
        try await lock.change(to: next, provedBy: .passphrase(Passphrase(Self.right)))
        #expect(await unlock() == .wrongPassphrase)
        #expect(await unlock("another passphrase") == nil)
    }

    @Test func `the recovery key sets another passphrase despite too many wrong ones`()
        async throws
    {
        let identity = try AgeIdentity()
        try await setUp(.init(recovery: identity.recipient))
        lock.lock()
        for number in 1...5 { _ = await unlock("wrong \(number)") }
        #expect(await unlock() == .tooManyAttempts)
        let file = try folder.content(OwnerKeyFile.recoveryName)
        let line = String(decoding: try AgeFile.decrypt(file, with: identity).bytes, as: UTF8.self)
        try await lock.change(to: Passphrase("after the recovery"), provedBy: .recovered(line))
        #expect(lock.status.state == .unlocked)
        #expect(lock.status.wrongAttempts == 0)
        #expect(lock.recoveryPath == folder.path(OwnerKeyFile.recoveryName))
    }

    @Test func `the credential of the service unlocks if it was set up`() async throws {
        try folder.write(String(repeating: "0123456789abcdef", count: 4) + "\n", to: "credential")
        let lock = OwnerLock(
            folder: folder.path, credential: folder.path("credential"), costs: Self.costs,
            time: time)
        try await lock.setUp(Passphrase(Self.right), .init(usesCredential: true))
        lock.lock()
        try await lock.unlock(with: .credential)
        #expect(lock.status.state == .unlocked)
        #expect(lock.status.usesCredential && lock.status.hasCredential)
        try folder.write("short", to: "credential")
        await #expect(throws: SealingError.self) { try await lock.unlock(with: .credential) }
    }

    @Test func `without a key nothing is sealed, opened or unlocked`() async {
        #expect(code { try lock.seal([1], for: .secret, at: "a") } == .notSetUp)
        #expect(code { try lock.open([1], for: .secret, at: "a") } == .notSetUp)
        #expect(await unlock() == .notSetUp)
        #expect(lock.status.state == .none)
    }

    @Test func `a damaged file is reported by every call, and never replaced`() async throws {
        try folder.write("{}", to: OwnerKeyFile.name)
        let lock = OwnerLock(folder: folder.path, costs: Self.costs, time: time)
        #expect(lock.fault?.code == .damaged)
        #expect(code { try lock.seal([1], for: .secret, at: "a") } == .damaged)
        await #expect(throws: SealingError.self) {
            try await lock.setUp(Passphrase(Self.right), .init())
        }
        #expect(try folder.content(OwnerKeyFile.name) == Array("{}".utf8))
    }
}

import Foundation
import JSApps
import TestSupport
import Testing

/// Archives with random changes; with `NERVOUS_LONG_TESTS=1` there are 10 000.
struct MutatedPackageTests {
    private static let isLong = ProcessInfo.processInfo.environment["NERVOUS_LONG_TESTS"] == "1"
    private static let rounds = isLong ? 10_000 : 400

    private static let whole = ZipForge.good()
        .with(.folder("my-app/lib/"))
        .with(.deflated("my-app/lib/é", String(repeating: "x", count: 300)).streamed())
        .bytes

    @Test func `random changes neither trap nor leave anything behind`() async throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var random = SplitMix(state: seed)
        let folder = try TemporaryFolder()
        let library = try await AppLibrary.open(at: folder.url, unpacker: .built)
        var installed = 0
        for round in 0..<Self.rounds {
            let bytes = Self.mutated(using: &random)
            do {
                let app = try await library.install(archive: bytes)
                for file in app.index.files { _ = try app.contents(of: file.path) }
                try await library.uninstall(app.name.text)
                installed += 1
            } catch {
                let faults: [JSAppsError.Code] = [.io, .unpackerUnavailable, .damaged]
                #expect(!faults.contains(error.code), "seed \(seed), round \(round): \(error)")
            }
            #expect(try folder.tree().isEmpty, "seed \(seed), round \(round)")
        }
        // A few changes are harmless, such as changes of timestamps; most make the package invalid.
        #expect(installed > 0 && installed < Self.rounds / 2, "seed \(seed)")
    }

    private static func mutated(using random: inout SplitMix) -> [UInt8] {
        var bytes = whole
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let start = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, start + Int.random(in: 1...40, using: &random))
            switch Int.random(in: 0..<12, using: &random) {
            case 0: bytes.removeSubrange(start..<end)
            case 1: bytes.insert(contentsOf: bytes[start..<end], at: start)
            case 2:
                let other = Int.random(in: 0..<bytes.count, using: &random)
                bytes.insert(contentsOf: bytes[start..<end], at: other)
            case 3: bytes.removeLast(bytes.count - end)
            default:
                let any = UInt8.random(in: 0...255, using: &random)
                bytes[start] = [0, 1, 0x7F, 0xFF, any].randomElement(using: &random) ?? 0
            }
            if bytes.isEmpty { bytes = [0] }
        }
        return bytes
    }
}

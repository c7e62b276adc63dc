import Archive
import Foundation
import JSApps
import RunnerProtocol
import TestSupport
import Testing

/// The running program, observed in `/proc`.
@Suite(.blocking)
struct UnpackerConfinementTests {
    private static let limits = ArchiveLimits(
        archiveBytes: 1 << 20, unpackedBytes: 1 << 20, fileBytes: 1 << 20, entries: 10)

    private struct Run {
        let program: Program

        init(_ arguments: [String]) throws {
            program = try Program(
                BuiltProgram.path("nervous-unpacker"), arguments,
                environment: ["SECRET": "1", "LC_ALL": "C"], input: .pipe, output: .pipe)
        }

        /// All frames up to the last one.
        func frames() throws -> [UnpackerFrame] {
            var reader = FrameReader<UnpackerFrame>()
            var frames: [UnpackerFrame] = []
            while true {
                let data = try program.read { !$0.isEmpty }
                if data.isEmpty { return frames }
                reader.append(data)
                while let frame = try reader.next() {
                    frames.append(frame)
                    switch frame {
                    case .done, .refused, .unconfined: return frames
                    default: continue
                    }
                }
            }
        }
    }

    private func fields(_ path: String) throws -> [String: String] {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        return text.split(separator: "\n").reduce(into: [:]) { fields, line in
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[String(parts[0])] = parts.last?.trimmingCharacters(in: .whitespaces)
        }
    }

    @Test func `the unpacker reads the archive only after confinement`() throws {
        let run = try Run(Self.limits.arguments)
        // More than the capacity of a pipe: when it is written, the program has begun to read.
        try run.program.write([UInt8](repeating: 0, count: 1_000_000))
        let folder = "/proc/\(run.program.pid)"
        let status = try fields(folder + "/status")
        #expect(status["Seccomp"] == "2")
        #expect(status["NoNewPrivs"] == "1")
        #expect(status["Threads"] == "1")
        let open = try FileManager.default.contentsOfDirectory(atPath: folder + "/fd")
        #expect(open.sorted() == ["0", "1", "2"])
        let limits = try String(contentsOfFile: folder + "/limits", encoding: .utf8)
        for (limit, value) in [
            ("Max cpu time", ["10", "11"]), ("Max file size", ["0", "0"]),
            ("Max core file size", ["0", "0"]), ("Max open files", ["16", "16"]),
            ("Max locked memory", ["0", "0"]),
        ] {
            let line = limits.split(separator: "\n").first { $0.hasPrefix(limit) }
            let words = line?.dropFirst(limit.count).split(separator: " ") ?? []
            #expect(words.prefix(2).map(String.init) == value, "\(limit)")
        }
        let data = limits.split(separator: "\n").first { $0.hasPrefix("Max data size") }
        let bytes = data?.split(separator: " ").compactMap { Int($0) }.first
        #expect(try #require(bytes) < 64 << 20)
        let maps = try String(contentsOfFile: folder + "/maps", encoding: .utf8)
        #expect(!maps.split(separator: "\n").contains { $0.contains("wx") })
        run.program.endInput()
        #expect(try run.frames() == [.refused(ArchiveError(.notAnArchive))])
        #expect(try run.program.wait() == 0)
    }

    @Test func `the unpacker lists non-ASCII names in any locale`() throws {
        let run = try Run(Self.limits.arguments)
        let archive = ZipForge.good().with(.folder("my-app/é/")).with(.deflated("my-app/é/名前", "x"))
        try run.program.write(archive.bytes)
        run.program.endInput()
        let frames = try run.frames()
        #expect(frames.contains(.entry(name: Array("my-app/é".utf8), isFolder: true, size: 0)))
        #expect(frames.contains(.entry(name: Array("my-app/é/名前".utf8), isFolder: false, size: 1)))
        #expect(frames.suffix(3) == [.content([0x78]), .fileEnd, .done])
    }

    @Test(arguments: [[], ["1"], ["1", "2", "3", "-4"], ["1", "2", "3", "4", "5"]])
    func `the unpacker rejects invalid arguments`(arguments: [String]) throws {
        let run = try Run(arguments)
        #expect(try run.program.wait() == 64)
    }

    @Test func `an archive above the limit is not read completely`() throws {
        let run = try Run(
            ArchiveLimits(archiveBytes: 100, unpackedBytes: 1, fileBytes: 1, entries: 1).arguments)
        try run.program.write([UInt8](repeating: 0, count: 1000))
        #expect(try run.frames() == [.refused(ArchiveError(.archiveTooLarge))])
    }
}

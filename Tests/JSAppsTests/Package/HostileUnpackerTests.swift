import Archive
import Auth
import Foundation
import RunnerProtocol
import TestSupport
import Testing
import Text

@testable import JSApps

/// The host's side of the pipe with a compromised unpacker.
@Suite(.serialized) struct HostileUnpackerTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func library(timeLimit: Duration = Program.patience) async throws -> AppLibrary {
        let program = BuiltProgram.path("forging-unpacker")
        return try await AppLibrary.open(
            at: folder.url.appending(path: "apps"),
            unpacker: ArchiveUnpacker(program: program, timeLimit: timeLimit))
    }

    private func refusal(
        of script: [UInt8], by library: AppLibrary
    ) async throws -> JSAppsError {
        try await #require(throws: JSAppsError.self) {
            try await library.install(archive: script)
        }
    }

    /// The unpackers of this process that have not been waited for.
    private func children() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").flatMap { task in
            let list = try? String(
                contentsOfFile: "/proc/self/task/\(task)/children", encoding: .utf8)
            return (list ?? "").split(separator: " ").compactMap { child in
                try? String(contentsOfFile: "/proc/\(child)/comm", encoding: .utf8)
            }
        }.filter {
            // The kernel truncates `comm` to 15 bytes.
            $0.hasPrefix("forging-unpacke")
        }
    }

    @Test func `the output of a valid unpacker is accepted`() async throws {
        let script = UnpackerForgery("honest", .io, frames: UnpackerForgery.honest).script
        let app = try await library().install(archive: script)
        #expect(app.manifest.version == "6.6.6")
        #expect(try app.contents(of: "app.js") == [1, 2, 3, 4])
        #expect(try children().isEmpty)
    }

    @Test(arguments: UnpackerForgery.all)
    func `invalid output of an unpacker leaves the library unchanged, and the unpacker is ended`(
        _ forgery: UnpackerForgery
    ) async throws {
        let library = try await library(timeLimit: forgery.timeLimit)
        let source = try folder.writeApp("my-app")
        try await library.install(from: source)
        let before = try folder.tree()
        let error = try await refusal(of: forgery.script, by: library)
        #expect(error.code == forgery.code, "\(error)")
        #expect(error.message.unicodeScalars.allSatisfy { $0.value >= 0x20 })
        #expect(try folder.tree() == before)
        #expect(try await library.app(named: "my-app").manifest.version == "1.0.0")
        #expect(try children().isEmpty)
    }

    @Test(arguments: [("without landlock", "landlock"), ("without seccomp", "seccomp")])
    func `a missing layer is named`(_ behaviour: String, _ layer: String) async throws {
        let error = try await refusal(of: Array((behaviour + "\n").utf8), by: library())
        #expect(error.code == .confinement)
        #expect(error.message.contains("does not provide \(layer) ("))
    }

    @Test func `texts of an unpacker are escaped`() async throws {
        let layer = UnpackerFrame.unconfined(layer: "\u{1b}]0;x\u{7}\nrm -rf", code: .max)
        let fault = ArchiveError(.encrypted, name: Array("\u{202e}\u{1b}[2J".utf8))
        for frame in [layer, .refused(fault)] {
            let error = try await refusal(
                of: UnpackerForgery("escape", .io, frames: [frame]).script, by: library())
            let text = error.message + (error.hint ?? "")
            #expect(text.unicodeScalars.allSatisfy { !$0.isUnsafeToDisplay })
        }
    }

    @Test func `a program that is missing or cannot be started is reported`() async throws {
        let text = try folder.write("no-program", "text")
        for program in [nil, "/nowhere/nervous-unpacker", text.path()] {
            let library = try await AppLibrary.open(
                at: folder.url.appending(path: "other"), unpacker: ArchiveUnpacker(program: program)
            )
            let error = try await #require(throws: JSAppsError.self) {
                try await library.install(archive: ZipForge.good().bytes)
            }
            #expect(error.code == .unpackerUnavailable)
        }
        #expect(try folder.tree().keys.sorted() == ["no-program", "other"])
    }
}

import Archive
import JSApps
import RunnerProtocol
import TestSupport
import Testing

/// The output of a compromised unpacker, and the host's expected error.
struct UnpackerForgery: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let code: JSAppsError.Code
    /// The input of `forging-unpacker` in place of an archive.
    let script: [UInt8]
    /// The time limit of the host: short only for a forgery that makes it wait.
    let timeLimit: Duration

    init(
        _ name: String, _ code: JSAppsError.Code, behaviour: String = "say", bytes: [UInt8]
    ) {
        testDescription = name
        self.code = code
        script = Array(behaviour.utf8) + [0x0A] + bytes
        timeLimit = ["silent", "drip"].contains(behaviour) ? .milliseconds(300) : Program.patience
    }

    init(
        _ name: String, _ code: JSAppsError.Code, behaviour: String = "say",
        frames: [UnpackerFrame]
    ) {
        self.init(name, code, behaviour: behaviour, bytes: frames.flatMap { $0.encoded() })
    }
}

extension UnpackerForgery {
    private static let manifest = Array(ZipForge.manifest(name: "my-app", version: "6.6.6").utf8)

    static func entry(
        _ name: String, size: Int = 0, isFolder: Bool = false
    ) -> UnpackerFrame {
        .entry(name: Array(name.utf8), isFolder: isFolder, size: UInt32(size))
    }

    /// The entries of a valid package.
    static let entries: [UnpackerFrame] = [
        entry("my-app/package.json", size: manifest.count), entry("my-app/app.js", size: 4),
        entry("my-app/app.html"),
    ]
    private static let listed: [UnpackerFrame] = entries + [.listed]
    private static let begun: [UnpackerFrame] = listed + [.content(manifest), .fileEnd]
    private static let nearlyDone: [UnpackerFrame] =
        begun + [.content([1, 2]), .content([3, 4]), .fileEnd]

    /// The frames of the unpacker for a valid package.
    static let honest: [UnpackerFrame] = nearlyDone + [.fileEnd, .done]

    /// A valid package with one more entry.
    private static func adding(
        _ name: String, _ code: JSAppsError.Code, _ path: String, size: Int = 0,
        isFolder: Bool = false
    ) -> UnpackerForgery {
        UnpackerForgery(
            name, code, frames: entries + [entry(path, size: size, isFolder: isFolder)])
    }

    private static func saying(
        _ name: String, _ start: [UnpackerFrame], _ frames: UnpackerFrame...
    ) -> UnpackerForgery {
        UnpackerForgery(name, .malformedArchive, frames: start + frames)
    }

    private static func ending(
        _ name: String, _ behaviour: String, after frames: [UnpackerFrame] = []
    ) -> UnpackerForgery {
        UnpackerForgery(name, .malformedArchive, behaviour: behaviour, frames: frames)
    }

    private static func raw(_ name: String, _ bytes: [UInt8]) -> UnpackerForgery {
        UnpackerForgery(name, .malformedArchive, bytes: bytes)
    }

    static let names: [UnpackerForgery] = [
        adding("absolute path", .unsafePath, "/etc/cron.d/evil"),
        adding("path with parent components", .unsafePath, "my-app/../../evil"),
        adding("folder outside the app", .unsafePath, "my-app/..", isFolder: true),
        adding("path with NUL", .unsafePath, "my-app/a\0b"),
        adding("path with an escape", .unsafePath, "my-app/\u{1b}[2J"),
        adding("long path", .unsafePath, String(repeating: "a", count: 65_000)),
        adding("empty path", .unsafePath, ""),
        UnpackerForgery(
            "path that is not UTF-8", .unsafePath,
            frames: [.entry(name: [0xFF], isFolder: false, size: 0)]),
        adding("one name twice", .duplicateName, "my-app/app.js"),
        adding("names that fold to one", .duplicateName, "my-app/APP.JS"),
        adding("file and folder of one name", .duplicateName, "my-app/app.js", isFolder: true),
        UnpackerForgery(
            "second top folder", .wrongFolderName, frames: entries + [entry("other/a"), .listed]),
        UnpackerForgery(
            "another app's name", .wrongFolderName,
            frames: [
                entry("other/package.json", size: manifest.count), entry("other/app.js"),
                entry("other/app.html"), .listed, .content(manifest), .fileEnd, .fileEnd,
                .fileEnd, .done,
            ]),
        UnpackerForgery("no entries", .missingFile, frames: [.listed, .done]),
    ]

    static let sizes: [UnpackerForgery] = [
        adding("file too large", .tooLarge, "my-app/a", size: (16 << 20) + 1),
        UnpackerForgery(
            "sum too large", .tooLarge,
            frames: (0..<5).map { entry("my-app/\($0)", size: 16 << 20) }),
        UnpackerForgery(
            "too many entries", .tooLarge, frames: (0...2000).map { entry("my-app/\($0)") }),
        UnpackerForgery(
            "entries without end", .duplicateName, behaviour: "endless",
            frames: [entry("my-app/a")]),
        saying("more content than announced", begun, .content([1, 2, 3, 4, 5])),
        ending(
            "content without end", "endless last frame", after: begun + [.content([1])]),
        saying("less content than announced", begun, .content([1, 2, 3]), .fileEnd),
        saying("an empty piece of content", listed, .content([])),
        adding("a folder with a size", .malformedArchive, "my-app/a", size: 1, isFolder: true),
    ]

    static let order: [UnpackerForgery] = [
        saying("content before the list", [], .content([1])),
        saying("an entry after the list", listed, entry("my-app/late.js")),
        saying("unconfined after entries", entries, .unconfined(layer: "landlock", code: 38)),
        saying("two lists", listed, .listed),
        saying("done before the files", listed, .done),
        saying("done before the list", [], .done),
        saying("one file too few", nearlyDone, .done),
        saying("one file too many", nearlyDone, .fileEnd, .content([1]), .fileEnd, .done),
        UnpackerForgery(
            "refused in the middle", .unsafeEntry,
            frames: listed + [.content([1]), .refused(ArchiveError(.unsafeKind))]),
    ]

    static let bytes: [UnpackerForgery] = [
        raw("garbage", [0xFF, 0xFF, 0xFF, 0x7F, 1]),
        raw("an empty frame", [0, 0, 0, 0]),
        raw("a frame too large", [0, 0, 2, 0, 3]),
        raw("an unknown type", [1, 0, 0, 0, 99]),
        raw("an unknown fault", [10, 0, 0, 0, 6, 250, 0, 0, 0, 0, 0, 0, 0, 0]),
        raw("a length beyond the frame", [5, 0, 0, 0, 3, 255, 255, 255, 255]),
        raw("half a frame", [9, 0, 0, 0, 3]),
    ]

    static let endings: [UnpackerForgery] = [
        ending("silence", "silent"),
        ending("silence in the middle", "silent", after: begun),
        UnpackerForgery(
            "one byte at intervals", .malformedArchive, behaviour: "drip",
            bytes: [0xFF, 0xFF, 0, 0]),
        ending("a closed pipe without exiting", "hang up", after: listed),
        ending("an exit without frames", "status 0"),
        ending("an exit between files", "status 0", after: begun),
        ending("an exit with status 3", "status 3"),
        ending("a crash without frames", "signal 11"),
        ending("a crash between files", "signal 11", after: begun),
        ending("an abort", "signal 6", after: entries),
        ending("a kill", "signal 9", after: nearlyDone),
        ending("a call that the confinement forbids", "signal 31", after: entries),
        ending("the CPU limit signal", "signal 24", after: listed),
    ]

    static let all = names + sizes + order + bytes + endings
}

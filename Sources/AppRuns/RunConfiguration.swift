import Glibc
import JSApps
public import RunnerProtocol
import Samples

/// A script, with the name that errors give for it.
public struct RunScript: Sendable {
    /// The name, such as `app.js`.
    public let name: String
    /// The source text.
    public let source: String

    /// A script that is not yet evaluated.
    public init(name: String, source: String) {
        self.name = name
        self.source = source
    }
}

/// Scripts that run first and decide when the app is started.
public struct TestHarness: Sendable {
    /// Evaluated in this order, after the bootstrap scripts.
    public let scripts: [RunScript]
    /// The path that starts the app, when called with `POST`.
    public let startPath: String

    /// Describes a test of an app.
    public init(scripts: [RunScript], startPath: String) {
        self.scripts = scripts
        self.startPath = startPath
    }
}

/// The parts of its page that a run reports, and its time limit.
public struct RunPresentation: Sendable, Hashable {
    /// Whether the visible text is reported whenever it has changed.
    public var showsText: Bool
    /// Whether the document is reported at the end.
    public var showsMarkup: Bool
    /// The time after which the run ends as if it had nothing left to do; `nil` for no limit.
    public var lifetime: Duration?

    /// By default, nothing is reported and there is no time limit.
    public init(showsText: Bool = false, showsMarkup: Bool = false, lifetime: Duration? = nil) {
        self.showsText = showsText
        self.showsMarkup = showsMarkup
        self.lifetime = lifetime
    }
}

/// The scripts that runners load when an app needs them, bundled when the host was built.
public struct RunLibraries: Sendable {
    /// The libraries that can be loaded before a run begins.
    static let shareable: [RunnerLibrary] = [.document, .modules]

    private enum Source {
        case text([UInt8])
        case file(Descriptor)
    }

    private let sources: [RunnerLibrary: Source]

    /// - Parameter texts: the libraries; apps cannot load a library that is not in it.
    public init(_ texts: [RunnerLibrary: [UInt8]] = [:]) {
        sources = texts.mapValues { .text($0) }
    }

    /// Opens the files of libraries, which are read whenever they are needed.
    ///
    /// A file that replaces one of them later has no effect. Without those that cannot be opened.
    public init(files: [(library: RunnerLibrary, path: String)]) {
        var sources: [RunnerLibrary: Source] = [:]
        for (library, path) in files {
            let file = Descriptor(open(path, O_RDONLY | O_CLOEXEC))
            if file.number >= 0 { sources[library] = .file(file) }
        }
        self.sources = sources
    }

    var isEmpty: Bool { sources.isEmpty }

    func has(_ library: RunnerLibrary) -> Bool { sources[library] != nil }

    /// The text of a library; `nil` if it is missing or cannot be read.
    subscript(library: RunnerLibrary) -> [UInt8]? {
        switch sources[library] {
        case .text(let text): text
        case .file(let file): file.contents()
        case nil: nil
        }
    }

    /// Why a library is missing.
    static func reasonMissing(_ library: RunnerLibrary) -> String {
        switch library {
        case .document: "this host was built without node-domino and esbuild"
        case .modules: "this host was built without node-acorn and esbuild"
        case .encodings: "this host was built without node-iconv-lite and esbuild"
        }
    }
}

/// Everything that a process needs to run an app.
struct RunConfiguration: Sendable {
    var app: String
    /// The run's bearer token, which the host adds to calls; the app never has it.
    var token: String
    /// Evaluated in this order.
    var scripts: [RunScript]
    /// The page that is opened after the scripts and runs the scripts that it loads; `nil` for
    /// none.
    var page: String?
    /// The libraries that the app may load when it needs them.
    var libraries = RunLibraries()
    var presentation = RunPresentation()
    /// A call to this path starts the app, that is, evaluates the last script or opens the page; `nil` to
    /// start the app at once.
    var startPath: String?
    /// The time of the app; `nil` for the machine's clock.
    var time: (any VirtualRunTime)?
    /// Warnings for the owner, shown before the app's output.
    var notices: [String] = []
    var budget = RunBudget()
    /// How long the process may leave a ping unanswered, beyond the budget of a turn.
    var pingTimeLimit = Duration.seconds(5)

    init(app: String, token: String, scripts: [RunScript]) {
        self.app = app
        self.token = token
        self.scripts = scripts
    }

    /// The frames that start a run: its limits and its scripts, the app's last.
    func startFrames(host: String) -> [HostFrame] {
        var frames =
            time.map {
                [HostFrame.time(start: UInt64(clamping: $0.start), seed: $0.seed)]
            } ?? []
        frames += [
            .limits(
                wall: UInt32(clamping: budget.turn.wholeMilliseconds),
                cpu: UInt32(clamping: budget.turnCPU.wholeMilliseconds)),
            .present(text: presentation.showsText, markup: presentation.showsMarkup),
            .load(name: "nervous:environment", source: "location = \"http://\(host)/\";"),
        ]
        if let lifetime = presentation.lifetime {
            frames.append(.lifetime(UInt32(clamping: lifetime.wholeMilliseconds)))
        }
        let others = page == nil ? Array(scripts.dropLast()) : scripts
        frames += others.map { HostFrame.load(name: $0.name, source: $0.source) }
        return frames + (startPath == nil ? appFrames : []) + [.loaded]
    }

    /// The frames that start the app.
    var appFrames: [HostFrame] {
        if let page { return [.page(name: page)] }
        return scripts.suffix(1).map { HostFrame.load(name: $0.name, source: $0.source) }
    }
}

extension RunConfiguration {
    /// The configuration of an installed app.
    ///
    /// If the page loads the script, the page runs; otherwise the script runs alone.
    ///
    /// - Throws: `AppRunsError` with code `damaged` if the script cannot be run, `JSAppsError` if
    ///   the app's files have changed.
    init(
        of app: InstalledApp, in library: AppLibrary, token: String, prelude: [RunScript],
        libraries: RunLibraries
    ) async throws {
        let (script, page) = (app.generation.script, app.generation.page)
        let code = try await library.contents(of: script, in: app)
        guard let source = String(validating: code, as: UTF8.self),
            code.count < FrameLimits.frame - FrameLimits.text
        else {
            throw AppRunsError(
                .damaged, "The script of ‘\(app.name)’ is not UTF-8, or is too large to run.",
                hint: "Ask its author for another version.")
        }
        self.init(app: app.name.text, token: token, scripts: prelude)
        self.libraries = libraries
        let markup = try await library.contents(of: page, in: app)
        let isLoadedByPage = PageScripts(in: markup).load(script)
        if isLoadedByPage, libraries.has(.document) {
            self.page = page
            return
        }
        if isLoadedByPage {
            let reason = RunLibraries.reasonMissing(.document)
            notices.append("\(page) is not opened; only \(script) runs: \(reason).")
        }
        scripts.append(RunScript(name: script, source: source))
    }
}

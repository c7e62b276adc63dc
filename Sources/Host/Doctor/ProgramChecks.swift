package import API
import Auth
import Foundation
import JSApps
import RunnerProtocol
import Text

/// The companion programs: whether they are installed, in the same version.
package struct ProgramsCheck: DoctorCheck {
    package let name = "programs"

    package init() {}

    package func findings(_ context: DoctorContext) async -> [Finding] {
        var findings: [Finding] = []
        for program in CompanionProgram.allCases { findings.append(await finding(program)) }
        return findings
    }

    private func finding(_ program: CompanionProgram) async -> Finding {
        let path: String
        do {
            path = try program.path()
        } catch {
            let failure = CommandFailure(error)
            return broken(failure.message, fix: failure.hint)
        }
        guard let output = await ProgramOutput.of(path, ["--version"]), output.status == 0 else {
            return broken(
                "\(path) does not report its version.",
                fix: "Install all programs of one version: make install")
        }
        let version = output.text.split(separator: "\n").first.map(String.init) ?? ""
        guard version == Release.version else {
            let shown = version.escapedForDisplay(limit: 24)
            return broken(
                "\(path) has version \(shown), but nervous has \(Release.version).",
                fix: "Install all programs of one version: make install")
        }
        return fine("\(program.rawValue) \(version), \(path)")
    }
}

/// The kernel.
package struct KernelCheck: DoctorCheck {
    package let name = "kernel"

    package init() {}

    package func findings(_ context: DoctorContext) async -> [Finding] {
        var names = utsname()
        guard uname(&names) == 0 else { return [broken("The kernel version is unknown.")] }
        let release = Self.text(names.release)
        let machine = Self.text(names.machine)
        let shown = "Linux \(release) on \(machine)"
        let numbers = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
        guard numbers.count == 2, (numbers[0], numbers[1]) < (5, 13) else { return [fine(shown)] }
        return [
            broken(
                "\(shown) is older than 5.13 and has no Landlock.", fix: "Install a newer kernel.")
        ]
    }

    private static func text<T>(_ field: T) -> String {
        withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

/// The bundled scripts for headless apps.
package struct HeadlessCheck: DoctorCheck {
    package let name = "headless"

    package init() {}

    package func findings(_ context: DoctorContext) async -> [Finding] {
        RunnerLibrary.allCases.map { library in
            if let path = CompanionScript.path(of: library) {
                return fine("\(library), \(path)")
            }
            let fix = "Install esbuild and \(library.package), and build again: make setup build"
            return note("Headless apps have no \(library.use): the script was not built.", fix: fix)
        }
    }
}

extension RunnerLibrary {
    fileprivate var package: String {
        switch self {
        case .document: "node-domino"
        case .modules: "node-acorn"
        case .encodings: "node-iconv-lite"
        }
    }

    fileprivate var use: String {
        switch self {
        case .document: "document, so pages do not run"
        case .modules: "import"
        case .encodings: "encodings of text other than UTF-8"
        }
    }
}

/// The JavaScript libraries that apps may load: all nervousnet apps need jQuery, some also the others.
package struct LibrariesCheck: DoctorCheck {
    package let name = "libraries"

    package init() {}

    package func findings(_ context: DoctorContext) async -> [Finding] {
        // Another check reports an invalid configuration.
        let configuration =
            (try? Configuration(path: context.paths.configuration)) ?? Configuration()
        let libraries = SystemLibraries(folder: configuration.libraries)
        var findings: [Finding] = []
        for library in SystemLibraries.Library.allCases {
            if await libraries.isInstalled(library) {
                findings.append(fine("\(library.rawValue), in \(configuration.libraries)"))
            } else {
                findings.append(
                    note(
                        "\(library.rawValue) is missing from \(configuration.libraries): "
                            + Self.loss(library),
                        fix: "apt install \(library.package)"))
            }
        }
        return findings
    }

    private static func loss(_ library: SystemLibraries.Library) -> String {
        switch library {
        case .jquery: "nervousnet apps do not run."
        case .leaflet: "apps that use it for maps do not run."
        case .chart: "apps that use it for charts do not run."
        }
    }
}

/// The standard output and exit status of a program.
package struct ProgramOutput: Sendable {
    package let status: Int32
    package let text: String

    /// Runs a program with an empty environment and no input, for at most ten seconds.
    ///
    /// - Returns: `nil` if it cannot be started.
    package static func of(_ path: String, _ arguments: [String]) async -> ProgramOutput? {
        await withCheckedContinuation { continuation in
            // Reading blocks, so it has a thread of its own.
            Thread.detachNewThread { continuation.resume(returning: run(path, arguments)) }
        }
    }

    private static func run(_ path: String, _ arguments: [String]) -> ProgramOutput? {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.environment = [:]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let pid = process.processIdentifier
        let limit = DispatchWorkItem { kill(pid, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 10, execute: limit)
        let bytes = (try? output.fileHandleForReading.readToEnd()) ?? Data()
        process.waitUntilExit()
        limit.cancel()
        let isExit = process.terminationReason == .exit
        return ProgramOutput(
            status: isExit ? process.terminationStatus : 128 + process.terminationStatus,
            text: String(decoding: bytes, as: UTF8.self))
    }
}

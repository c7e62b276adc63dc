import ArgumentParser
import Foundation
import Logging
import VM

/// What every command takes.
struct GlobalOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where everything is kept.",
            discussion: "Also NERVOUS_DATA; otherwise $XDG_DATA_HOME/nervous.", valueName: "dir"))
    var data: String?

    @Flag(help: "Print facts as JSON.")
    var json = false

    @Option(help: ArgumentHelp("Read this tree in place of /proc.", valueName: "dir"))
    var procRoot = "/proc"

    @Option(help: ArgumentHelp("Read this tree in place of /sys.", valueName: "dir"))
    var sysRoot = "/sys"

    @Option(help: ArgumentHelp("Open devices of this folder in place of /dev.", valueName: "dir"))
    var devRoot = "/dev"

    @Option(help: "How the program's own log is written on standard error: text or json.")
    var logFormat = LogFormat.text

    var paths: HostPaths {
        HostPaths(option: data, environment: ProcessInfo.processInfo.environment)
    }

    /// What the configuration file sets.
    var configuration: Configuration {
        get throws { try Configuration(path: paths.configuration) }
    }

    var roots: SystemRoots { SystemRoots(proc: procRoot, sys: sysRoot, dev: devRoot) }

    var console: Console { Console(isJSON: json) }

    var logger: Logger {
        let format = logFormat
        return Logger(label: "nervous") {
            LineLogHandler(label: $0, format: format, logLevel: .error)
        }
    }
}

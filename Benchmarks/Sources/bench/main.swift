import Foundation

do {
    try await measure(try Options(CommandLine.arguments.dropFirst()))
} catch {
    FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
    exit(1)
}

/// Measures the groups that the options name, or all, and prints their figures.
func measure(_ options: Options) async throws {
    let groups: [(String, () async throws -> [Figure])] = [
        ("start", ColdStart.figures), ("new", NewApp.figures), ("apps", Apps.figures),
        ("store", Storing.figures),
        ("sum", { try await Summing.figures(options) }), ("serve", Serving.figures),
        ("publish", Publishing.figures), ("rows", Rows.figures),
        ("mqtt", Messages.figures), ("serial", SerialLines.figures),
        ("collect", Collecting.figures),
        ("idle", { try await Idle.figures(options) }),
        ("open", { try await Opening.figures(options) }),
    ]
    let machine = ProcessInfo.processInfo
    print("\(machine.processorCount) processors, \(machine.physicalMemory >> 30) GiB; medians\n")
    for (name, figures) in groups where options.groups.isEmpty || options.groups.contains(name) {
        for figure in try await figures() { print(figure.line) }
    }
}

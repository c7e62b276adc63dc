import Foundation

let machine = ProcessInfo.processInfo
print("\(machine.processorCount) processors, \(machine.physicalMemory >> 30) GiB; medians\n")
for figures in CommandLine.arguments.contains("apps") ? [ColdStart.figures, Apps.figures] : [ColdStart.figures, Apps.figures, Storing.figures, Serving.figures] {
    for figure in try await figures() { print(figure.line) }
}

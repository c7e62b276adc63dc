import Foundation

let groups = [
    ("start", ColdStart.figures), ("apps", Apps.figures), ("store", Storing.figures),
    ("sum", Summing.figures),
    ("serve", Serving.figures),
]
let wanted = CommandLine.arguments.dropFirst()
let machine = ProcessInfo.processInfo
print("\(machine.processorCount) processors, \(machine.physicalMemory >> 30) GiB; medians\n")
for (name, figures) in groups where wanted.isEmpty || wanted.contains(name) {
    for figure in try await figures() { print(figure.line) }
}

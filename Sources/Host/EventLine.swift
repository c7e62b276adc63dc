import Foundation
import JSApps

/// An event of a run as one line of JSON.
struct EventLine {
    private struct Line: Encodable {
        let event: String
        var level: String?
        var text: String?
        var place: String?
        var stack: String?
        var layers: [String]?
    }

    let text: String

    init(_ event: RunEvent) {
        let line =
            switch event {
            case .started(let layers): Line(event: "started", layers: layers)
            case .console(let level, let text):
                Line(event: "console", level: "\(level)", text: text)
            case .uncaught(let message, let place, let stack):
                Line(event: "uncaught", text: message, place: place, stack: stack)
            }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        text = String(decoding: (try? encoder.encode(line)) ?? Data(), as: UTF8.self)
    }
}

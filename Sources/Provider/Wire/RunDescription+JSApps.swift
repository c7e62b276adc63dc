public import API
import Auth
import Foundation
public import JSApps

extension RunDescription {
    /// - Parameter console: the last lines of its console, if requested.
    public init(_ report: RunReport, console: [RunEventItem]? = nil) {
        self.init(
            run: report.id, app: report.app, state: report.state.rawValue,
            background: !report.isWatched, started: Self.milliseconds(report.started),
            ended: report.ended.map(Self.milliseconds),
            ending: report.ending.map {
                Ending(name: $0.name, exitCode: $0.exitCode, detail: $0.detail)
            }, restarts: report.restarts, gaveUp: report.hasGivenUp,
            usage: Usage(
                cpu: Double(report.usage.cpu / .microseconds(1)) / 1000,
                memory: report.usage.memory, calls: report.usage.calls,
                samples: report.usage.samples, logged: report.usage.logged),
            layers: report.layers, console: console)
    }

    private static func milliseconds(_ date: Date) -> Double {
        (date.timeIntervalSince1970 * 1000).rounded()
    }
}

extension RunEventItem {
    init(_ event: RunEvent) {
        switch event {
        case .started(let layers): self.init(event: "started", layers: layers)
        case .console(let level, let text):
            self.init(event: "console", level: "\(level)", text: text)
        case .uncaught(let message, let place, let stack):
            self.init(event: "uncaught", text: message, place: place, stack: stack)
        case .view(let text): self.init(event: "view", text: text)
        case .markup(let text): self.init(event: "markup", text: text)
        }
    }

    init(asks request: PendingRequest) {
        self.init(event: "asks", privilege: request.privilege.description)
    }

    init(_ message: AppMessage) {
        self.init(event: "message", text: message.body, title: message.title)
    }

    init(ended report: RunReport) {
        self.init(event: "ended", run: RunDescription(report))
    }

    init(failed problem: Problem) {
        self.init(
            event: "failed", text: problem.detail, code: problem.codeName, fix: problem.fix)
    }
}

extension StartRunRequest {
    var presentation: RunPresentation {
        RunPresentation(
            showsText: view == true, showsMarkup: markup == true,
            lifetime: lifetime.map { .milliseconds(Int64($0)) })
    }
}

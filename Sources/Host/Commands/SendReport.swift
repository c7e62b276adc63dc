import API
import Foundation
import Provider

/// What a person is told of something that was sent.
enum SendReport {
    /// - Throws: `CommandFailure` where it did not arrive, which is to be tried again later.
    static func show(_ data: Data, _ options: GlobalOptions) throws {
        let reply = try JSONDecoder().decode(SendReply.self, from: data)
        if options.json { options.console.print(json: data) }
        if let damaged = reply.damaged {
            options.console.say(
                "warning: samples of \(damaged) are damaged, and are missing in what was sent.")
        }
        guard let kept = reply.kept else {
            if !options.json { options.console.print("It has arrived.") }
            return
        }
        let isWaiting = kept.state == "waiting"
        let then =
            isWaiting
            ? "sent while a host runs, such as nervous serve" : "not tried again by itself"
        throw CommandFailure(
            isWaiting ? .tryAgain : .remote, "\(kept.problem) It is kept, and \(then).",
            hint: "nervous outbox send \(kept.id), or nervous outbox discard \(kept.id)",
            type: "kept")
    }
}

import Foundation

/// One connection to a broker, on a thread of its own, which waits and never polls.
struct MQTTConnection: Sendable {
    let broker: MQTTBroker
    /// `nil` for one that nobody else has.
    var clientID: String?

    /// Connects, listens until the broker ends it or the task is cancelled, and closes everything.
    ///
    /// - Throws: ``ConnectorError`` with what went wrong and what helps.
    func run(_ listener: any MQTTListener) async throws(ConnectorError) {
        let ending = try MQTTEnding()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                ending.wait(waiter)
                Thread.detachNewThread { ending.finish(listen(listener, ending)) }
            }
        } onCancel: {
            ending.cancel()
        }
        try outcome.get()
    }

    private func listen(_ listener: any MQTTListener, _ ending: MQTTEnding) -> MQTTEnding.Outcome {
        Self.refuseBrokenPipes()
        return Result { () throws(ConnectorError) in
            guard !ending.isCancelled else { return }
            let session = try MQTTSession(broker, clientID: clientID, listener)
            try session.connect(ending)
            try session.listen(ending)
        }
    }

    /// A broker that goes while this writes must not end the program.
    private static func refuseBrokenPipes() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}

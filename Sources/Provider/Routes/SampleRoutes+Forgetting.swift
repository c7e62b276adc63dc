import API
import Auth
import Hummingbird
import Samples
import VM

extension SampleRoutes {
    /// Removes every trace of what a sensor measured in a range, and says what that was.
    @Sendable
    func forget(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("forget", request, context)
        let id = try request.sensor(context)
        try request.refuseParameters(besides: ["from", "to"])
        let range = try request.range(now: door.now())
        let receipt = try await machine.forget(id, range)
        let (from, to) = (range.from, range.to)
        await door.authority.log.note(
            .forgotten(
                id,
                what: "\(receipt.samples) samples and \(receipt.summaries) summaries"
                    + (from == .distantPast ? "" : " from \(from)")
                    + (to == .distantFuture ? "" : " to \(to)")))
        return try .json(ForgetDescription(receipt))
    }
}

import API
import Addresses
import Auth
import Egress
import Hummingbird
import Sessions

/// Routes that the owner sends to a server.
extension SessionRoutes {
    @Sendable
    func send(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await door.owner("send-session", request, context)
        let body = try await request.json(SendRequest.self)
        guard let address = WebAddress(body.to) else {
            throw Problem.invalidBody("to is no http or https URL.")
        }
        let document = try await document(request, context)
        let parcel = try Parcel(
            to: address, title: "\(document.session.name) (\(document.form.name))",
            mediaType: document.form.rawValue, body: Array(document.text.utf8),
            tokenFile: body.tokenFile)
        let outcome = try await outbox.send(parcel, keeps: body.keep ?? true)
        return try .json(SendReply(outcome, damaged: document.damage.damageField))
    }
}

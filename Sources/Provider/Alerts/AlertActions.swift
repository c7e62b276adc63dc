public import Addresses
public import Alerts
public import AppRuns
import AppStorage
public import Auth
public import Egress
import Files

/// Makes the deliveries of alert rules: notices, calls of servers as the owner, and background runs.
public struct AlertActions: AlertChannels {
    private static let options: OutboundOptions = {
        var options = OutboundOptions()
        options.connecting = .seconds(10)
        options.total = .seconds(30)
        options.readsBody = false
        options.redirects = 0
        return options
    }()

    private let authority: Authority
    private let client: GrantedClient
    private let supervisor: RunSupervisor

    /// - Parameter outbound: calls only addresses that apps may call, too, never this host itself.
    public init(authority: Authority, outbound: OutboundClient, supervisor: RunSupervisor) {
        (self.authority, self.supervisor) = (authority, supervisor)
        client = GrantedClient(outbound, log: authority.log)
    }

    public func notify(_ notice: AlertNotice) async {
        await authority.noticeBoard.post(
            alert: notice.title, body: notice.body, rule: notice.rule)
    }

    public func call(
        _ address: WebAddress, tokenFile: String?, body: [UInt8], id: String
    ) async throws(AlertDeliveryError) {
        var fields = [
            HeaderField("Content-Type", "application/json"),
            // draft-ietf-httpapi-idempotency-key-header: a string of RFC 9651.
            HeaderField("Idempotency-Key", "\"\(id)\""),
        ]
        if let tokenFile {
            do {
                let token = try SecretFile.line(in: tokenFile)
                fields.append(HeaderField("Authorization", "Bearer \(token)"))
            } catch {
                throw AlertDeliveryError(error.message, isPermanent: false)
            }
        }
        let request = OutboundRequest(trusted: "POST", address, fields: fields, body: body)
        let status: Int
        do {
            let grant = try await authority.checkApp(
                token: authority.ownerToken.text, name: nil, reaching: address.origin)
            // Without redirects, no other permission is needed.
            status = try await client.send(request, under: grant, Self.options) { _ in grant }
                .status
        } catch let error as EgressError {
            throw AlertDeliveryError(
                error.message,
                isPermanent: [.addressRefused, .ownHost, .invalidRequest].contains(error.code))
        } catch let error as AuthError {
            throw AlertDeliveryError(error.message, isPermanent: false)
        } catch {
            throw AlertDeliveryError("\(address.origin) was not called.", isPermanent: false)
        }
        switch ServerVerdict(status: status, of: address.origin) {
        case .accepted: break
        case .busy(let reason): throw AlertDeliveryError(reason, isPermanent: false)
        case .refused(let reason): throw AlertDeliveryError(reason, isPermanent: true)
        }
    }

    public func run(app: String) async throws(AlertDeliveryError) {
        let isActive = await supervisor.runs().contains { run in
            run.app == app && !run.isForeground && [.running, .waiting].contains(run.state)
        }
        guard !isActive else { return }
        do {
            let run = try await supervisor.prepare(app: app, isForeground: false)
            try await supervisor.runInBackground(run.id)
        } catch {
            throw AlertDeliveryError(
                "\(app) was not started: \(Problem(error, logger: nil).detail)", isPermanent: true)
        }
    }
}

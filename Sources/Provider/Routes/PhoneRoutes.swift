import API
import Auth
import HTTPTypes
import Hummingbird
import Ingest
import Samples
import VM

/// Phones that push samples, for the owner: their sensors and tokens.
struct PhoneRoutes {
    let authorizer: RequestAuthorizer
    let machine: VirtualMachine
    let host: HostInformation

    func add(to routes: inout RouteTable) {
        routes.on(.phones, [.post: create])
    }

    /// Declares the sensors that the host does not have, and creates a token that publishes to all of
    /// them.
    ///
    /// Sensors that the owner declared differently are unchanged. If this fails, nothing has changed.
    @Sendable
    private func create(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("add-phone", request, context)
        let body = try await request.json(PhoneRequest.self)
        let sensors = try Self.sensors(of: body.name)
        let expires = try authorizer.expiry(of: body.lifetime)
        let network = host.localNetwork()?.description
        if body.requiresNetwork == true, network == nil { throw Problem.notListening }
        let authority = authorizer.authority
        let privileges = sensors.map { PrivilegeID.sensor($0.id, .write) }
        let policy = await authority.permissions.policy
        for privilege in privileges { try policy.check(privilege) }
        // Fails, before anything is declared, if the name is taken.
        let token = try await authority.createClient(body.name, isOwner: false, expires: expires)
        var declared: [SensorID] = []
        do {
            for sensor in sensors {
                guard await machine.sensor(sensor.id) == nil else { continue }
                if try await machine.declare(sensor) { declared.append(sensor.id) }
            }
            for privilege in privileges {
                try await authority.decide(.allowAlways, on: privilege, by: body.name)
            }
            var phone = CreatedPhone(
                name: body.name, token: token.text, sensors: sensors.map(\.id.description),
                network: network, port: host.port())
            if network != nil {
                phone.qr = try QRCodeDescription(
                    encoding: phone.qrCodeText(for: body.app ?? .sensorLogger))
            }
            var response = try Response.json(phone, status: .created)
            response.headers[.location] = APIPath.token(of: body.name).description
            return response
        } catch {
            for id in declared { try? await machine.withdraw(id) }
            try? await authority.revokeClient(body.name)
            throw error
        }
    }

    /// The sensors as they are declared.
    private static func sensors(of phone: String) throws -> [Sensor] {
        try PhoneSensor.all.map { sensor in
            guard let id = sensor.id(of: phone) else {
                throw Problem.invalidBody("name must be short and kebab-case, without dots.")
            }
            return try Sensor(
                declared: id, title: "\(sensor.title) of \(phone)", fields: sensor.fields)
        }
    }
}

extension Problem {
    fileprivate static let notListening = Problem(
        .notListening, "The host does not listen on the local network.",
        fix: #"Start it with: nervous serve --lan 8443, or set "lan": {} in config.json."#)
}

import Auth
import Samples
import Sealing

/// A privilege that the owner is asked about at the terminal.
struct PermissionQuestion: Hashable, Sendable {
    /// The app's name, version and title as in its package: untrusted text.
    let app: String
    let version: String
    let title: String?
    let privilege: Privilege
    /// The fields of the sensor, when the host knows them.
    let fields: [Field]
    /// The position among `count` questions, from 1.
    let number: Int
    let count: Int
    /// The signer of the app, as text to display; `nil` for an unsigned app.
    let signer: String?
    /// Whether an earlier version was installed, so that the privilege is new or wider.
    let isUpdate: Bool
    /// The sensors of the kind, when there are several to choose from.
    let instances: [SensorInstance]
    /// The only sensor of the kind, if there is one; an answer is about that sensor.
    let onlyInstance: SensorID?
    /// Whether the sensor was added after the owner had chosen among those of its kind.
    let isNewSensor: Bool

    init(
        app: String, version: String, title: String?, privilege: Privilege, number: Int, count: Int,
        signer: String? = nil, isUpdate: Bool = false, fields: [Field] = [],
        instances: [SensorInstance] = [], isNewSensor: Bool = false
    ) {
        self.app = app
        self.version = version
        self.title = title
        self.privilege = privilege
        self.number = number
        self.count = count
        self.signer = signer
        self.isUpdate = isUpdate
        self.fields = fields
        self.instances = instances.count > 1 ? instances : []
        let isOther = instances.count == 1 && instances[0].id != privilege.id.sensor
        onlyInstance = isOther ? instances[0].id : nil
        self.isNewSensor = isNewSensor
    }
}

extension PermissionQuestion {
    /// A line that confirms an answer, such as `cpu: always allowed`.
    ///
    /// - Parameter choice: the chosen sensors; `nil` for all.
    func confirmation(of decision: Decision, among choice: InstanceChoice?) -> String {
        let what =
            switch privilege.id.access {
            case .stats: "statistics "
            case .write: "publishing "
            case .raw, nil: ""
            }
        let how =
            switch decision {
            case .allowOnce: "\(what)allowed for this run"
            case .allowAlways: "\(what)always allowed"
            case .statisticsOnly: "only statistics allowed"
            case .allow: "\(what)allowed with limits"
            case .denyOnce: "\(what)denied for this run"
            case .deny: "\(what)always denied"
            }
        return "\(subject(among: terms(of: decision)?.only ?? choice)): \(how)"
    }

    private func terms(of decision: Decision) -> Terms? {
        if case .allow(let terms) = decision { terms } else { nil }
    }

    /// The sensors, the server or the privilege in a few words.
    private func subject(among choice: InstanceChoice?) -> String {
        if case .secret(let name, let origin) = privilege.id {
            return "\(name) at \(origin.shown(columns: 48))"
        }
        if let origin = privilege.id.origin { return origin.shown(columns: 48) }
        guard let sensor = privilege.id.sensor else { return privilege.id.description }
        guard let chosen = choice?.chosen else { return sensor.description }
        return chosen.count <= 3
            ? chosen.map(\.description).joined(separator: ", ")
            : "\(chosen.count) sensors of \(sensor)"
    }
}

/// One sensor of a kind, in the list from which the owner chooses.
struct SensorInstance: Hashable, Sendable {
    let id: SensorID
    /// Untrusted text.
    let title: String
    /// The source of its samples; untrusted text.
    let source: String
    /// The time of its newest sample; `nil` without samples.
    let newest: Timestamp?
}

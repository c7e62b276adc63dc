public import Samples

/// Puts a privilege to the person.
public protocol Prompter: Sendable {
    /// - Returns: `nil` when nobody answered; nothing is recorded then and the answer counts as no.
    func decide(_ question: PermissionQuestion) async -> Decision?
}

/// What the person is asked.
public struct PermissionQuestion: Hashable, Sendable {
    /// The app's name, version and title as its package gives them: hostile text.
    public let app: String
    public let version: String
    public let title: String?
    public let privilege: Privilege
    /// What a sample of the sensor holds, where the host knows it.
    public let fields: [Field]
    /// Which question of how many, from 1.
    public let number: Int
    public let count: Int
    /// Who signed the app, in words that the host wrote; `nil` where nobody did.
    public let signer: String?
    /// Whether an earlier version was installed, so that this is new or wider.
    public let isUpdate: Bool
    /// The sensors that it is about, where there are several to choose from.
    public let instances: [SensorInstance]
    /// Whether it is about a sensor that came after the person had chosen others of its kind.
    public let isNewcomer: Bool

    public init(
        app: String, version: String, title: String?, privilege: Privilege, number: Int, count: Int,
        signer: String? = nil, isUpdate: Bool = false, fields: [Field] = [],
        instances: [SensorInstance] = [], isNewcomer: Bool = false
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
        self.isNewcomer = isNewcomer
    }
}

/// Answers nothing: for hosts that nobody watches.
public struct NobodyPrompter: Prompter {
    public init() {}

    public func decide(_ question: PermissionQuestion) async -> Decision? { nil }
}

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
    /// Which question of how many, from 1.
    public let number: Int
    public let count: Int
    /// Who signed the app, in words that the host wrote; `nil` where nobody did.
    public let signer: String?
    /// Whether an earlier version was installed, so that this is new or wider.
    public let isUpdate: Bool

    public init(
        app: String, version: String, title: String?, privilege: Privilege, number: Int, count: Int,
        signer: String? = nil, isUpdate: Bool = false
    ) {
        self.app = app
        self.version = version
        self.title = title
        self.privilege = privilege
        self.number = number
        self.count = count
        self.signer = signer
        self.isUpdate = isUpdate
    }
}

/// Answers nothing: for hosts that nobody watches.
public struct NobodyPrompter: Prompter {
    public init() {}

    public func decide(_ question: PermissionQuestion) async -> Decision? { nil }
}

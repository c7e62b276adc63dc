import Addresses
import Auth

/// What calls to other servers tell about the person, in the host's words.
extension QuestionText {
    static func revelation(of origin: WebOrigin) -> String {
        switch origin.host.reach {
        case .internet, .forbidden:
            "all that it may read here, which it can send there; the server also learns your address"
        case .ownNetwork:
            "what a device in your own network tells, and it may do what the app says"
        case .ownMachine:
            "what a program on this machine tells, and it may do what the app says"
        }
    }

    /// The same in at most 28 characters.
    static func brief(of origin: WebOrigin) -> String {
        switch origin.host.reach {
        case .internet, .forbidden: "all it may read can go there"
        case .ownNetwork: "a device in your own network"
        case .ownMachine: "a program on this machine"
        }
    }

    /// The certificate that the package names for the server.
    var pin: CertificatePin? {
        guard case .net(_, let pin) = question.privilege.resource else { return nil }
        return pin
    }
}

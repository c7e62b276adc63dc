import API
import Addresses
import Auth
import JSApps
import Provider
import Samples
import Text

extension AppDescription {
    /// The version, escaped and cut.
    var shownVersion: String { version.escapedForDisplay(limit: 24) }

    /// Who signed it, as a prompt puts it; `nil` where nobody did.
    var signerText: String? {
        signer.map { signer in
            "signed by \(signer.name ?? "an unknown key") \(SignerKey.shortened(signer.fingerprint))"
        }
    }

    /// The same in a cell of a table.
    var shownSigner: String {
        guard let signer else { return "unsigned" }
        let fingerprint = SignerKey.shortened(signer.fingerprint)
        return signer.name.map { "\($0) \(fingerprint)" } ?? fingerprint
    }
}

extension AppDescription.DeclaredPrivilege {
    /// What it lets an app do, in the host's own words.
    var meaning: String {
        switch (sensor, access) {
        case (let sensor?, "raw"): "read every sample of \(sensor)"
        case (let sensor?, "stats"): "read statistics of \(sensor), never a single sample"
        case (let sensor?, _): "publish samples of \(sensor)"
        case (nil, _) where origin != nil: callMeaning
        case (nil, _) where privilege == "identity":
            "know this machine again by a made-up number"
        case (nil, _): privilege == "storage" ? "keep data of its own" : "send you messages"
        }
    }

    private var callMeaning: String {
        let shown = (origin ?? "").escapedForDisplay(limit: WebOrigin.longest)
        let place = origin.flatMap { WebOrigin($0) }.flatMap(\.placeText).map { ", \($0)" } ?? ""
        return "call \(shown)\(place)" + (pin == nil ? "" : ", with a certificate that it names")
    }

    /// One line with the app's claim marked as such.
    var line: String {
        let claim =
            reason.isEmpty ? "gives no reason" : "says: \(reason.escapedForDisplay(limit: 60))"
        let note =
            restrictedBy.map { " (nobody is given it on this machine, by \($0))" }
            ?? (supported ? "" : " (this version of the host cannot give it)")
        return "\(privilege): \(meaning); \(claim)\(note)"
    }

    /// As the prompt puts it.
    var question: Privilege? {
        PrivilegeID(privilege).flatMap {
            Privilege(asked: $0, reason: reason, pin: pin.flatMap { CertificatePin($0) })
        }
    }
}

extension Privilege {
    /// What the person can be asked about; `nil` for a privilege that nobody can be asked for yet.
    init?(asked id: PrivilegeID, reason: String, pin: CertificatePin? = nil) {
        if let sensor = id.sensor, let access = id.access {
            self.init(.sensor(sensor, access), reason: reason)
        } else if let origin = id.origin {
            self.init(.net(origin, pin: pin), reason: reason)
        } else if id == .identity {
            self.init(.identity, reason: reason)
        } else if id == .storage {
            self.init(.storage, reason: reason)
        } else if id == .notify {
            self.init(.notify, reason: reason)
        } else {
            return nil
        }
    }
}

import API
import Addresses
import Auth

extension TermsDescription {
    /// The terms as text, the sensors first.
    ///
    /// - Parameter isForSensor: whether the privilege is for a sensor, which has an access.
    func words(isForSensor: Bool = true) -> String {
        var parts = only.map { ["only " + $0.joined(separator: ", ")] } ?? []
        parts += limits(includingAccess: isForSensor)
        return parts.joined(separator: ", ")
    }

    /// The terms without the sensors.
    ///
    /// - Parameter includingAccess: whether the access is the first element.
    func limits(includingAccess: Bool) -> [String] {
        var parts: [String] = []
        if includingAccess {
            switch Access(rawValue: access) {
            case .raw: parts.append(rate == nil && precision == nil ? "every sample" : "samples")
            case .stats: parts.append("statistics only")
            case .write: parts.append("publishing samples")
            case nil: parts.append(access)
            }
        }
        if let rate { parts.append("at most \(Format.number(rate))/s") }
        if let precision { parts.append("rounded to multiples of \(Format.number(precision))") }
        if let history { parts.append("the last \(history)") }
        if let expires { parts.append("until \(Format.time(expires))") }
        if background == false { parts.append("only in the foreground") }
        return parts
    }
}

extension DecisionDescription {
    /// The state, or `restricted` if the policy blocks it.
    var shownState: String { restrictedBy == nil ? state : "restricted" }

    /// The terms as text.
    var termsText: String {
        if let refusals {
            return "denied \(refusals) times: not asked again until reset"
        }
        if let restrictedBy { return "blocked by \(restrictedBy)" }
        guard let terms else { return "–" }
        let isForSensor = PrivilegeID(privilege)?.sensor != nil
        let parts = [terms.words(isForSensor: isForSensor), once ? "this run only" : ""]
            .filter { !$0.isEmpty }
        return parts.isEmpty ? "–" : parts.joined(separator: ", ")
    }
}

extension WebOrigin {
    /// The location of the server; `nil` for the Internet.
    var placeText: String? {
        switch host.reach {
        case .internet, .forbidden: nil
        case .ownNetwork: "a device in your network"
        case .ownMachine: "a program on this machine"
        }
    }

    /// The origin in a number of columns, at least 12.
    ///
    /// A longer origin is cut at its start, because its end identifies the domain.
    func shown(columns: Int) -> String {
        let text = description
        guard text.utf8.count > columns else { return text }
        let head = scheme.rawValue + "://..."
        return head + text.suffix(max(1, columns - head.count))
    }
}

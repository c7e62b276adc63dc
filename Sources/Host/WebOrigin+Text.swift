import Addresses

extension WebOrigin {
    /// Where it is, in the host's words; `nil` for the Internet.
    var placeText: String? {
        switch host.reach {
        case .internet, .forbidden: nil
        case .ownNetwork: "a device in your own network"
        case .ownMachine: "a program on this machine"
        }
    }

    /// The origin in at most so many columns, 12 at least.
    ///
    /// Where it is longer its end stays, because that says whose it is.
    func shown(columns: Int) -> String {
        let text = description
        guard text.utf8.count > columns else { return text }
        let head = scheme.rawValue + "://..."
        return head + text.suffix(max(1, columns - head.count))
    }
}

/// The address that an app calls its host at, which is its own; what lies elsewhere the host calls.
struct OwnOrigin {
    let app: String

    /// What stands in the `Host` of its calls.
    var host: String { "\(app).localhost" }

    /// Path and query of a call to this origin; `nil` when it goes elsewhere or is no address.
    func path(of target: String) -> String? {
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        if target.hasPrefix("/") { return target.hasPrefix("//") ? nil : target }
        let scheme = "http://"
        guard target.hasPrefix(scheme) else { return nil }
        let rest = target.dropFirst(scheme.count)
        let authority = rest.prefix { !"/?#".contains($0) }
        let name = authority.prefix { $0 != ":" }
        guard name == host else { return nil }
        let port = authority.dropFirst(name.count)
        guard port.isEmpty || port.dropFirst().allSatisfy(\.isWholeNumber) else { return nil }
        let path = rest.dropFirst(authority.count).prefix { $0 != "#" }
        return path.hasPrefix("/") ? String(path) : "/\(path)"
    }
}

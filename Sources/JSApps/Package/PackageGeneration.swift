/// The form of package that an app was written for.
public enum PackageGeneration: String, Sendable, Hashable, Codable {
    /// Written for this host: `app.html`, `app.js` and a `package.json` that keeps every rule.
    case current
    /// The first that was published: `app.html` and `app.js` that load `/nervous-resources/…`; it
    /// may lack a `package.json`, and never declares privileges.
    case first
    /// The second that was published, called axon: `axon.html`, `axon.js` and a `package.json`
    /// without privileges.
    case axon

    /// The script of an app.
    public var script: String { self == .axon ? "axon.js" : "app.js" }

    /// The page of an app, and what stands at its address without a path.
    public var page: String { self == .axon ? "axon.html" : "app.html" }

    /// Whether it is older than the rules of today: names are taken as they come, and what an app
    /// may use is asked when it wants it first.
    public var isPublished: Bool { self != .current }
}

import Auth
import Text

/// How a package relates to the installed app of the same name, and whether it inherits that app's
/// decisions.
public struct UpdateCheck: Sendable, Hashable {
    /// The results of the comparison.
    public enum Kind: String, Sendable, Hashable {
        /// No app of that name was installed.
        case first
        /// The files are the same.
        case unchanged
        /// The version is the same and the files differ, as during development.
        case replaced
        /// The version is higher.
        case update
        /// The version is lower.
        case downgrade
        /// One of the versions does not follow Semantic Versioning, so the order is unknown.
        case unordered
    }

    /// Why no decision is inherited.
    public enum Reset: String, Sendable, Hashable {
        /// The package is signed and the installed one is not: anyone may have made the installed one.
        case signed
        /// It is an older version.
        case downgrade
        /// It may be an older version.
        case unordered
    }

    /// How the two packages compare.
    public let kind: Kind
    /// The installed version; `nil` for the first installation.
    public let previousVersion: String?
    /// Why no decision is inherited; `nil` if decisions are, and for the first installation.
    public let reset: Reset?

    init(kind: Kind, previousVersion: String?, reset: Reset?) {
        self.kind = kind
        self.previousVersion = previousVersion
        self.reset = reset
    }

    /// Compares a package with the installed one.
    ///
    /// - Throws: ``JSAppsError`` with code `signerChanged` or `downgrade`.
    init(
        of name: AppName, _ version: String, signer: SignerKey?, contentSHA256: String,
        after old: AppIndex?, allowsDowngrade: Bool
    ) throws(JSAppsError) {
        previousVersion = old?.version
        guard let old else {
            (kind, reset) = (.first, nil)
            return
        }
        if let key = old.signer, key != signer?.text {
            throw .signerChanged(name, from: key, to: signer)
        }
        kind = Self.kind(
            from: old.version, to: version, isSame: old.contentSHA256 == contentSHA256)
        guard kind != .downgrade || allowsDowngrade else {
            throw .downgrade(name, from: old.version, to: version)
        }
        let isSigned = old.signer == nil && signer != nil
        reset =
            switch kind {
            case .downgrade: .downgrade
            case .unordered: .unordered
            case .first, .unchanged, .replaced, .update: isSigned ? .signed : nil
            }
    }

    private static func kind(from old: String, to new: String, isSame: Bool) -> Kind {
        if isSame { return .unchanged }
        if old == new { return .replaced }
        guard let before = SemanticVersion(old), let after = SemanticVersion(new) else {
            return .unordered
        }
        if after < before { return .downgrade }
        return before < after ? .update : .replaced
    }
}

extension JSAppsError {
    fileprivate static func signerChanged(
        _ name: AppName, from old: String, to new: SignerKey?
    ) -> JSAppsError {
        let signer = SignerKey(old)?.shortFingerprint ?? "a key"
        let other = new.map { "is signed by \($0.shortFingerprint)" } ?? "is not signed"
        return JSAppsError(
            .signerChanged,
            "The installed app ‘\(name)’ is signed by \(signer), and this package \(other).",
            hint: "If you trust this package, uninstall the installed app first, which forgets"
                + " every decision: nervous uninstall \(name)")
    }

    fileprivate static func downgrade(
        _ name: AppName, from old: String, to new: String
    ) -> JSAppsError {
        let (old, new) = (old.escapedForDisplay(limit: 24), new.escapedForDisplay(limit: 24))
        return JSAppsError(
            .downgrade, "\(name) \(new) is older than the installed version \(old).",
            hint: "To install it, and decide about all privileges again: --allow-downgrade")
    }
}

/// The options of an installation.
public struct InstallOptions: Sendable, Hashable {
    /// Whether an older version may replace a newer one.
    public var allowsDowngrade: Bool
    /// Whether to check everything and change nothing.
    public var isDryRun: Bool

    /// By default, downgrades are rejected and the app is installed.
    public init(allowsDowngrade: Bool = false, isDryRun: Bool = false) {
        self.allowsDowngrade = allowsDowngrade
        self.isDryRun = isDryRun
    }
}

/// The result of an installation, or of its dry run.
public struct Installation: Sendable {
    /// The app after the installation; after a dry run, its files cannot be read.
    public let app: InstalledApp
    /// How it relates to the app that was installed before.
    public let updateCheck: UpdateCheck
    /// The manifest of the app that was installed before, if it was intact.
    public let previous: Manifest?
}

import Auth
import Text

/// How a package follows the one that is installed under its name, and whether it inherits what was
/// decided about that one.
public struct Succession: Sendable, Hashable {
    /// How the two compare.
    public enum Kind: String, Sendable, Hashable {
        /// None was installed.
        case first
        /// The files are the same.
        case unchanged
        /// The version is the same and the files are not, as while somebody works on an app.
        case replaced
        /// The version is higher.
        case update
        /// The version is lower.
        case downgrade
        /// One of the versions does not follow Semantic Versioning: nobody can tell.
        case unordered
    }

    /// Why nothing is inherited.
    public enum Reset: String, Sendable, Hashable {
        /// A key has signed this package, and none the one before: anybody may have made that one.
        case signed
        /// It is an older version.
        case downgrade
        /// It may be an older version.
        case unordered
    }

    /// How the package compares with the one before.
    public let kind: Kind
    /// The version of the one before; `nil` for the first.
    public let previousVersion: String?
    /// Why nothing that was decided holds on; `nil` where it does, and for the first.
    public let reset: Reset?

    init(kind: Kind, previousVersion: String?, reset: Reset?) {
        self.kind = kind
        self.previousVersion = previousVersion
        self.reset = reset
    }

    /// Compares a package with the one that it would take the place of.
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
            "The app ‘\(name)’ that is installed is signed by \(signer), and this package \(other).",
            hint: "If you trust it nevertheless, uninstall the other first, which forgets every"
                + " decision: nervous uninstall \(name)")
    }

    fileprivate static func downgrade(
        _ name: AppName, from old: String, to new: String
    ) -> JSAppsError {
        let (old, new) = (old.escapedForDisplay(limit: 24), new.escapedForDisplay(limit: 24))
        return JSAppsError(
            .downgrade, "\(name) \(new) is older than the version \(old) that is installed.",
            hint: "To install it nevertheless, and be asked everything again: --allow-downgrade")
    }
}

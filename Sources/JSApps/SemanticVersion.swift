/// A version number of Semantic Versioning 2.0.0 (semver.org).
public struct SemanticVersion: Sendable {
    /// The three numbers.
    public let major: UInt64, minor: UInt64, patch: UInt64
    /// The identifiers between `-` and `+`; empty for a release.
    public let prerelease: [String]
    /// The build metadata after `+`; ignored by comparisons.
    public let build: String?

    /// Parses a version; `nil` if the text is not one.
    public init?(_ text: String) {
        let plus = text.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
        let dash = plus[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let numbers = dash[0].split(separator: ".", omittingEmptySubsequences: false)
            .map { Self.isNumber($0) ? UInt64($0) : nil }
        guard numbers.count == 3, let major = numbers[0], let minor = numbers[1],
            let patch = numbers[2]
        else { return nil }
        let prerelease =
            dash.count > 1
            ? dash[1].split(separator: ".", omittingEmptySubsequences: false).map(String.init) : []
        let build = plus.count > 1 ? plus[1] : nil
        let builds = build?.split(separator: ".", omittingEmptySubsequences: false) ?? []
        guard prerelease.allSatisfy({ Self.isIdentifier($0[...]) && !Self.hasLeadingZero($0) }),
            builds.allSatisfy(Self.isIdentifier)
        else { return nil }
        (self.major, self.minor, self.patch) = (major, minor, patch)
        self.prerelease = prerelease
        self.build = build.map(String.init)
    }

    private static func isDigits(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func isNumber(_ text: Substring) -> Bool {
        isDigits(text) && (text.utf8.count == 1 || text.utf8.first != UInt8(ascii: "0"))
    }

    private static func hasLeadingZero(_ text: String) -> Bool {
        isDigits(text[...]) && !isNumber(text[...])
    }

    private static func isIdentifier(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy {
                $0 == "-" || ($0.isASCII && ($0.properties.isAlphabetic || isDigits("\($0)")))
            }
    }
}

extension SemanticVersion: Comparable {
    /// Whether two versions have the same precedence; `build` is ignored.
    public static func == (one: SemanticVersion, other: SemanticVersion) -> Bool {
        !(one < other) && !(other < one)
    }

    /// Precedence, section 11 of the specification.
    public static func < (one: SemanticVersion, other: SemanticVersion) -> Bool {
        let numbers = (one.major, one.minor, one.patch)
        let others = (other.major, other.minor, other.patch)
        guard numbers == others else { return numbers < others }
        if one.prerelease.isEmpty || other.prerelease.isEmpty {
            return !one.prerelease.isEmpty && other.prerelease.isEmpty
        }
        for (left, right) in zip(one.prerelease, other.prerelease) where left != right {
            switch (isDigits(left[...]), isDigits(right[...])) {
            // Without leading zeros, the longer number is the larger one.
            case (true, true):
                return (left.utf8.count, left) < (right.utf8.count, right)
            case (let leftIsNumber, let rightIsNumber) where leftIsNumber != rightIsNumber:
                return leftIsNumber
            default: return left < right
            }
        }
        return one.prerelease.count < other.prerelease.count
    }
}

extension StringProtocol {
    /// The text without white space at its ends.
    var trimmedWhitespace: SubSequence {
        guard let first = firstIndex(where: { !$0.isWhitespace }),
            let last = lastIndex(where: { !$0.isWhitespace })
        else { return self[endIndex...] }
        return self[first...last]
    }

    /// The text for a title: at most 64 characters, none of them a control or a formatting one.
    ///
    /// Names reach us from devices that anyone can plug in.
    var printable: String {
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(64) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                continue
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }
}

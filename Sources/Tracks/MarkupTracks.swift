import Text

/// Takes the elements of a file of tracks in XML.
protocol MarkupTrackReader {
    /// An element begins; its name is the last of the path.
    mutating func open(
        _ path: [String], _ attributes: [String: String], _ builder: inout TrackBuilder
    ) throws(TrackError)

    /// An element ends; its name is the last of the path.
    ///
    /// - Parameter text: its text after its last inner element.
    mutating func close(
        _ path: [String], _ text: String, _ builder: inout TrackBuilder
    ) throws(TrackError)
}

extension TrackBuilder {
    /// Reads the elements of an XML file.
    ///
    /// A file that is damaged after its first point, such as one of a receiver whose battery ran out, is read
    /// up to there.
    ///
    /// - Throws: ``TrackError`` `.malformed` for another root element and without any point; `.unsafe`,
    ///   `.tooLarge`.
    mutating func read(
        _ text: ArraySlice<UInt8>, _ format: TrackFormat,
        with reader: inout some MarkupTrackReader
    ) throws(TrackError) {
        do throws(TrackError) {
            try readElements(text, format, with: &reader)
        } catch {
            guard error.code == .malformed, points > 0 else { throw error }
            endDamaged(error.message)
        }
    }

    private mutating func readElements(
        _ bytes: ArraySlice<UInt8>, _ format: TrackFormat,
        with reader: inout some MarkupTrackReader
    ) throws(TrackError) {
        var limits = limits
        // The coordinates of a line are one text.
        if format == .kml { limits.text = limits.bytes }
        var path: [String] = []
        var text = ""
        var markup = try MarkupReader(bytes, limits: limits)
        while let piece = try markup.next() {
            switch piece {
            case .open(let name, let attributes):
                guard !path.isEmpty || name == format.root else {
                    throw TrackError(.malformed, "The file is not \(format.name).")
                }
                path.append(name)
                text = ""
                try reader.open(path, attributes, &self)
            case .text(let part):
                guard text.utf8.count + part.utf8.count <= limits.text else {
                    throw TrackError(.tooLarge, "A text in the file is too long.")
                }
                text += part
            case .close:
                try reader.close(path, text, &self)
                path.removeLast()
                text = ""
            }
        }
    }
}

extension Position {
    /// Reads decimal degrees, which programs also write with exponents.
    init?(latitude: String?, longitude: String?) {
        guard let latitude = latitude.flatMap({ Double(inFile: $0) }),
            let longitude = longitude.flatMap({ Double(inFile: $0) })
        else { return nil }
        self.init(latitude: latitude, longitude: longitude)
    }
}

extension Double {
    /// Reads a number with a dot, also with an exponent or between spaces.
    init?(inFile text: some StringProtocol) {
        self.init(decimal: text.trimmed, allowsExponent: true)
    }
}

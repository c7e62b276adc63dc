/// What this program is.
enum Version {
    static let number = "0.1.0"
}

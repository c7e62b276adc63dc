/// One thing that `nervous doctor` looks at.
///
/// It reads and tries, and changes nothing.
protocol DoctorCheck: Sendable {
    /// What it looks at, in one word.
    var name: String { get }

    /// What there is to say; one entry for each fact that a person could act on.
    func findings(_ context: DoctorContext) async -> [Finding]
}

extension DoctorCheck {
    func fine(_ message: String) -> Finding { .fine(name, message) }

    func note(_ message: String, fix: String? = nil) -> Finding { .note(name, message, fix: fix) }

    func broken(_ message: String, fix: String? = nil) -> Finding {
        .broken(name, message, fix: fix)
    }
}

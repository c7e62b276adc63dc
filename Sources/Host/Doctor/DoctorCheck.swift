package import API
package import VM

/// A check of `nervous doctor`, which changes nothing.
package protocol DoctorCheck: Sendable {
    /// Its name, one word.
    var name: String { get }

    /// The findings, one for each fact that the owner could act on.
    func findings(_ context: DoctorContext) async -> [Finding]
}

extension DoctorCheck {
    package func fine(_ message: String) -> Finding {
        Finding(check: name, state: .fine, message: message)
    }

    package func note(_ message: String, fix: String? = nil) -> Finding {
        Finding(check: name, state: .note, message: message, fix: fix)
    }

    package func broken(_ message: String, fix: String? = nil) -> Finding {
        Finding(check: name, state: .broken, message: message, fix: fix)
    }
}

/// The input of the checks.
package struct DoctorContext: Sendable {
    package let paths: HostPaths
    /// Where `/proc`, `/sys` and `/dev` are.
    package let roots: SystemRoots
    /// Called after each step of a long check.
    package let onStep: @Sendable (_ done: Int, _ total: Int) -> Void

    package init(
        paths: HostPaths, roots: SystemRoots,
        onStep: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) {
        (self.paths, self.roots, self.onStep) = (paths, roots, onStep)
    }
}

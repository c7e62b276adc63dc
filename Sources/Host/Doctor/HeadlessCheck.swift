import RunnerProtocol

/// The scripts that headless apps load when they need them: whether this was built with them.
struct HeadlessCheck: DoctorCheck {
    let name = "headless"

    func findings(_ context: DoctorContext) async -> [Finding] {
        RunnerLibrary.allCases.map { library in
            if let path = CompanionScript.path(of: library) {
                return fine("\(library), \(path)")
            }
            let fix = "Install esbuild and \(library.package), and build again: make setup build"
            return note("Headless apps have no \(library.use): it was not built.", fix: fix)
        }
    }
}

extension RunnerLibrary {
    fileprivate var package: String {
        switch self {
        case .document: "node-domino"
        case .modules: "node-acorn"
        }
    }

    fileprivate var use: String {
        switch self {
        case .document: "document, and pages do not run"
        case .modules: "import"
        }
    }
}

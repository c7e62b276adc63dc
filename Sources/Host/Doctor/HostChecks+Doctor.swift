import API
import Provider
import VM

extension HostChecks {
    /// The checks of `nervous doctor` that do not depend on who makes them.
    ///
    /// The others read the databases or ask the host itself. They are left to the command, whose result
    /// must not depend on the host.
    private static let all: [any DoctorCheck] = [
        KernelCheck(), ProgramsCheck(), HeadlessCheck(), ConfinementCheck(), EscapeCheck(),
        DataDirectoryCheck(), LockCheck(), ConfigurationCheck(), SensorsCheck(), LibrariesCheck(),
        DesktopCheck(),
    ]

    /// The checks of a host with these paths.
    init(paths: HostPaths, roots: SystemRoots) {
        // The escape attempts start more than a hundred processes.
        self.init(names: Self.all.map(\.name), onRequest: [EscapeCheck().name]) { names in
            let context = DoctorContext(paths: paths, roots: roots)
            var findings: [Finding] = []
            for check in Self.all where names.contains(check.name) {
                findings += await check.findings(context)
            }
            return findings
        }
    }
}

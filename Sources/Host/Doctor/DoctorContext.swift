import VM

/// What the checks share.
struct DoctorContext: Sendable {
    let paths: HostPaths
    /// Where the hardware of the machine is told of.
    let roots: SystemRoots
    /// Called when a check that takes long has done one of its steps.
    let onStep: @Sendable (_ done: Int, _ total: Int) -> Void

    /// Every check, in the order in which a person wants to read them.
    static let checks: [any DoctorCheck] = [
        KernelCheck(), ProgramsCheck(), HeadlessCheck(), ConfinementCheck(), EscapeCheck(),
        DataDirectoryCheck(), ConfigurationCheck(), SensorsCheck(), LibrariesCheck(),
        DatabaseCheck(), AccessLogCheck(), HostCheck(), DesktopCheck(),
    ]
}

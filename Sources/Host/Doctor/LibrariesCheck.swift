import JSApps

/// The JavaScript libraries that apps may load: published apps need jQuery, and some the others.
struct LibrariesCheck: DoctorCheck {
    let name = "libraries"

    func findings(_ context: DoctorContext) async -> [Finding] {
        // A configuration that is wrong is told of by another check.
        let configuration =
            (try? Configuration(path: context.paths.configuration)) ?? Configuration()
        let libraries = SystemLibraries(folder: configuration.libraries)
        var findings: [Finding] = []
        for library in SystemLibraries.Library.allCases {
            if await libraries.isInstalled(library) {
                findings.append(fine("\(library.rawValue), in \(configuration.libraries)"))
            } else {
                findings.append(
                    note(
                        "\(library.rawValue) is not in \(configuration.libraries): "
                            + Self.loss(library),
                        fix: "apt install \(library.package)"))
            }
        }
        return findings
    }

    private static func loss(_ library: SystemLibraries.Library) -> String {
        switch library {
        case .jquery: "published apps do not run."
        case .leaflet: "apps that show maps with it do not run."
        case .chart: "apps that draw charts with it do not run."
        }
    }
}

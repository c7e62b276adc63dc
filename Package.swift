// swift-tools-version: 6.2
import PackageDescription

/// Swift 6, hidden imports by default, and warnings as errors, for every target.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]
let strictC: [CSetting] = [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]
/// For the installed programs: the linker's tables are filled at the start and then read-only, so a
/// fault in memory cannot redirect a call through them, and no stack is executable.
let hardened: [LinkerSetting] = [
    .unsafeFlags(["relro", "now", "noexecstack"].flatMap { ["-Xlinker", "-z", "-Xlinker", $0] })
]

typealias Dependency = Target.Dependency

let argumentParser = Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser")
let asyncAlgorithms = Dependency.product(
    name: "AsyncAlgorithms", package: "swift-async-algorithms")
let crypto = Dependency.product(name: "Crypto", package: "swift-crypto")
let deque = Dependency.product(name: "DequeModule", package: "swift-collections")
let grdb = Dependency.product(name: "GRDB", package: "GRDB.swift")
let httpTypes = Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let lifecycle = Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let logging = Dependency.product(name: "Logging", package: "swift-log")
let nioCore = Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTPTypes = Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP1 = Dependency.product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
let nioPosix = Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioSSL = Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioTLS = Dependency.product(name: "NIOTLS", package: "swift-nio")
let nioWebSocket = Dependency.product(name: "NIOWebSocket", package: "swift-nio")
let unixSignals = Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")

/// A library target in `Sources/<name>`.
func module(
    _ name: String, _ dependencies: [Dependency] = [], exclude: [String] = [],
    plugins: [Target.PluginUsage] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict,
        plugins: plugins)
}

/// A C library of the system; `Sources/System/<name>` has its module map.
func systemLibrary(_ name: String, _ pkgConfig: String, _ debianPackage: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig,
        providers: [.apt([debianPackage])])
}

/// A target of our own in C.
///
/// - Parameter libraries: libraries of the system that it calls, without `lib`.
func cModule(_ name: String, path: String? = nil, libraries: [String] = []) -> Target {
    .target(
        name: name, path: path ?? "Sources/System/\(name)", cSettings: strictC,
        linkerSettings: libraries.map { .linkedLibrary($0) })
}

/// The tests of a module, in `Tests/<name>Tests`.
func tests(
    _ name: String, _ dependencies: [Dependency] = [], exclude: [String] = [],
    resources: [Resource]? = nil, plugins: [Target.PluginUsage] = []
) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: dependencies + ["TestSupport"], exclude: exclude,
        resources: resources, swiftSettings: strict, plugins: plugins)
}

let package = Package(
    name: "nervous",
    products: [
        .executable(name: "nervous", targets: ["nervous"]),
        .executable(name: "nervous-runner", targets: ["nervous-runner"]),
        .executable(name: "nervous-unpacker", targets: ["nervous-unpacker"]),
        // What `Benchmarks` measures.
        .library(
            name: "Engine",
            targets: ["Connectors", "Ingest", "RunnerProtocol", "Samples", "SampleStore", "VM"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-async-algorithms", exact: "1.1.4"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1",
            traits: ["FullFoundation"]),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        // System libraries and our own C; docs/architecture.md says who may use which.
        systemLibrary("CArchive", "libarchive", "libarchive-dev"),
        systemLibrary("CArgon2", "libargon2", "libargon2-dev"),
        systemLibrary("CJavaScriptCore", "javascriptcoregtk-4.1", "libjavascriptcoregtk-4.1-dev"),
        systemLibrary("CMosquitto", "libmosquitto", "libmosquitto-dev"),
        systemLibrary("CQRencode", "libqrencode", "libqrencode-dev"),
        systemLibrary("CSystemd", "libsystemd", "libsystemd-dev"),
        systemLibrary("CZlib", "zlib", "zlib1g-dev"),
        systemLibrary("CZstd", "libzstd", "libzstd-dev"),
        cModule("CCertificates", libraries: ["crypto"]),
        cModule("CClock"),
        cModule("CEscapeProbes"),
        cModule("CFiles"),
        cModule("CProcess"),
        cModule("CSandbox"),
        cModule("CThreads"),
        cModule("CWebCrypto", libraries: ["hogweed", "nettle", "gmp"]),
        .target(
            name: "CResources", path: "Sources/System/CResources",
            cSettings: [.unsafeFlags(["-std=c23", "-Wall", "-Wextra", "-Werror"])]),

        // Vocabulary and mathematics.
        module("Files"),
        module("Databases", ["Files", grdb]),
        module("Resources", ["CResources"]),
        module("Samples"),
        module("Scheduling", ["Samples", deque]),
        module("Statistics", ["Samples"]),
        module("Text"),
        module("Sealing", ["CArgon2", "Files", "Samples", "Scheduling", "Text", crypto]),
        module("Dialects", ["Samples", "Statistics", "Text"]),
        module("Motion", ["Samples", "Statistics", "Text"]),
        module("Tracks", ["Samples", "Text"]),
        module("Sessions", ["Databases", "Files", "Motion", "Samples", "Text", "Tracks", grdb]),
        module("Health", ["Databases", "Files", "Samples", "Text", crypto, grdb]),

        // Collecting and storing samples.
        module("DBus", ["CSystemd"]),
        module(
            "SampleStore", ["CZlib", "CZstd", "Databases", "Files", "Samples", "Statistics", grdb]),
        module(
            "VM",
            ["CClock", "Files", "SampleStore", "Samples", "Scheduling", "Statistics", logging]),
        module("Simulation", ["Samples", "VM"]),
        module("Ingest", ["Motion", "Samples", "Text", "Tracks"]),
        module(
            "Connectors",
            [
                "Addresses", "CMosquitto", "CProcess", "DBus", "Egress", "Files", "Ingest",
                "Motion", "Samples", "Scheduling", "Sealing", "Simulation", "Text", "Tracks", "VM",
                nioCore,
                nioPosix, nioSSL,
            ]),

        // Permission, and what needs it.
        module("Addresses"),
        module("AppStorage", ["Databases", "Files", "Samples", "Scheduling", "Text", grdb]),
        module(
            "Auth",
            [
                "Addresses", "AppStorage", "Databases", "Files", "Health", "Samples", "Scheduling",
                "Sealing",
                "Text", crypto, grdb, logging,
            ]),
        module("LAE", ["Auth", "Samples", "Scheduling", "Statistics", "VM"]),
        module(
            "Egress",
            [
                "Addresses", "Files", "Samples", "Scheduling", "Text", crypto, logging, nioCore,
                nioHTTP1, nioPosix, nioSSL, nioTLS, nioWebSocket,
            ]),

        // Apps and the confined programs.
        module("RunnerProtocol"),
        module("Archive", ["CArchive", "RunnerProtocol"]),
        module(
            "JSApps",
            [
                "Archive", "Auth", "CFiles", "CProcess", "Files", "Resources", "RunnerProtocol",
                "Samples", "Scheduling", "Text", crypto,
            ], exclude: ["Skeleton/Template"]),
        module(
            "AppRuns",
            [
                "Auth", "CProcess", "Files", "JSApps", "RunnerProtocol", "Samples", "Scheduling",
                "Text", logging, nioCore, nioPosix,
            ]),
        .executableTarget(
            name: "nervous-runner",
            dependencies: [
                "CEscapeProbes", "CJavaScriptCore", "CProcess", "CSandbox", "CThreads",
                "CWebCrypto", "Resources", "RunnerProtocol",
            ],
            path: "Sources/Runner", exclude: ["Libraries", "Resources"], swiftSettings: strict,
            linkerSettings: hardened),
        .executableTarget(
            name: "nervous-unpacker", dependencies: ["Archive", "CSandbox", "RunnerProtocol"],
            path: "Sources/Unpacker", swiftSettings: strict, linkerSettings: hardened),

        module(
            "Backup",
            [
                "Auth", "Databases", "Files", "Samples", "Scheduling", "Sealing", "Text", crypto,
                grdb,
            ]),

        // The HTTP API, the host and its commands.
        module("API", ["Samples", "Text"]),
        module("MCP", ["API", "Samples", "Scheduling", "Text"]),
        module(
            "Alerts",
            [
                "API", "Addresses", "Databases", "Files", "Samples", "Scheduling", "Statistics",
                "Text", grdb, logging,
            ]),
        module(
            "Provider",
            [
                "API", "Addresses", "Alerts", "AppRuns", "AppStorage", "Auth", "CQRencode",
                "CZlib", "Connectors", "Dialects", "Egress", "Files", "Health", "Ingest",
                "JSApps", "LAE", "Motion", "Resources", "Samples", "Scheduling", "Sealing",
                "Sessions",
                "Statistics", "Text", "Tracks", "VM", asyncAlgorithms, crypto, httpTypes,
                hummingbird, hummingbirdCore, lifecycle, logging, nioCore, nioHTTP1, nioHTTPTypes,
                nioHTTPTypesHTTP1, nioSSL, nioWebSocket,
            ], exclude: ["Resources"]),
        module(
            "Host",
            [
                "API", "Addresses", "Alerts", "AppRuns", "AppStorage", "Auth", "Backup",
                "CCertificates", "CFiles", "Connectors", "DBus", "Egress", "Files", "Health",
                "JSApps", "LAE",
                "Provider", "RunnerProtocol", "Samples", "Scheduling", "Sealing", "Sessions",
                "Text", "VM",
                crypto, hummingbird, lifecycle, logging, nioCore, nioHTTP1, nioPosix, unixSignals,
            ], plugins: ["BundleLibraries"]),
        module(
            "AppLab",
            [
                "API", "Addresses", "AppRuns", "Auth", "Health", "Host", "JSApps", "Provider",
                "Samples", "Simulation", "Text", "VM",
            ]),
        module(
            "Commands",
            [
                "API", "Addresses", "Alerts", "AppLab", "AppRuns", "AppStorage", "Auth", "Backup",
                "DBus", "Databases", "Egress", "Files", "Health", "Host", "Ingest", "JSApps", "LAE",
                "MCP",
                "RunnerProtocol", "Samples", "Scheduling", "Sealing", "Sessions", "Simulation",
                "Text",
                "Tracks", "VM", argumentParser, crypto, lifecycle, nioCore, unixSignals,
            ]),
        .executableTarget(
            name: "nervous", dependencies: ["Commands"], swiftSettings: strict,
            linkerSettings: hardened),
        .plugin(name: "BundleLibraries", capability: .buildTool()),

        // Tests, and the programs that they run.
        cModule("CSpawn", path: "Tests/CSpawn"),
        .target(
            name: "TestSupport",
            dependencies: [
                "CProcess", "CSpawn", "Samples", "Scheduling", "Tracks", crypto, nioCore, nioHTTP1,
                nioPosix, nioSSL, nioWebSocket,
            ],
            path: "Tests/TestSupport", swiftSettings: strict),
        .executableTarget(
            name: "store-writer", dependencies: ["SampleStore", "Samples"],
            path: "Tests/StoreWriter", swiftSettings: strict),
        .executableTarget(
            name: "log-writer", dependencies: ["AppStorage", "Auth"], path: "Tests/LogWriter",
            swiftSettings: strict),
        .executableTarget(
            name: "secret-writer", dependencies: ["Sealing"], path: "Tests/SecretWriter",
            swiftSettings: strict),
        .executableTarget(
            name: "package-updater", dependencies: ["JSApps"], path: "Tests/PackageUpdater",
            swiftSettings: strict),
        .executableTarget(name: "forging-runner", path: "Tests/ForgingRunner"),
        .executableTarget(name: "forging-unpacker", path: "Tests/ForgingUnpacker"),
        .executableTarget(
            name: "sandbox-probe", dependencies: ["CSandbox"], path: "Tests/SandboxProbe"),
        tests("TestSupport", ["CProcess"]),
        tests("Files", ["Files"]),
        tests("Databases", ["Databases", "Files", grdb]),
        tests("Samples", ["Samples"]),
        tests("Scheduling", ["Samples", "Scheduling"]),
        tests("Statistics", ["Samples", "Statistics"], resources: [.copy("Fixtures")]),
        tests("Text", ["Text"]),
        tests("Sealing", ["Samples", "Scheduling", "Sealing", "Text", "secret-writer", crypto]),
        tests("Dialects", ["Dialects", "Samples", "Text"]),
        tests("Motion", ["Ingest", "Motion", "Samples"]),
        tests(
            "Tracks",
            [
                "Motion", "Samples", "Sessions", "Tracks",
            ],
            resources: [.copy("Fixtures")]),
        tests("Sessions", ["Databases", "Motion", "Samples", "Sessions", "Text", "Tracks", grdb]),
        tests(
            "Alerts",
            ["API", "Addresses", "Alerts", "Samples", "Scheduling", "Statistics", grdb, logging]),
        tests("Health", ["Health", "Samples", "Text", grdb]),
        tests("DBus", ["DBus"], exclude: ["peer.py"]),
        tests("SampleStore", ["SampleStore", "Samples", "Statistics", "store-writer", grdb]),
        tests(
            "VM", ["Motion", "Samples", "VM", logging], resources: [.copy("Fixtures")]),
        tests("Simulation", ["Samples", "Simulation", "VM"]),
        tests("Ingest", ["Ingest", "Motion", "Samples", "Text", "Tracks"]),
        tests(
            "Connectors",
            [
                "Addresses", "Connectors", "DBus", "Egress", "Ingest", "Motion", "Samples",
                "Scheduling", "Sealing", "Text", "Tracks", "VM", nioCore, nioPosix, nioSSL,
            ],
            exclude: [
                "Bluetooth/bluez.py", "GPSD/receiver-counts.tsv",
                "HomeAssistant/announcement-counts.tsv", "SystemBus/geoclue.py",
            ]),
        tests("Addresses", ["Addresses"]),
        tests("AppStorage", ["AppStorage", "Samples", "Text", grdb]),
        tests(
            "Auth",
            [
                "Addresses", "AppStorage", "Auth", "Health", "Samples", "Text", "log-writer", grdb,
            ]),
        tests("Backup", ["Auth", "Backup", "Samples", "Scheduling", grdb]),
        tests("LAE", ["Auth", "LAE", "SampleStore", "Samples", "Statistics", "VM"]),
        tests(
            "Egress",
            [
                "Addresses", "Egress", "Samples", "Scheduling", nioCore, nioEmbedded, nioHTTP1,
                nioSSL, nioWebSocket,
            ]),
        tests(
            "JSApps",
            [
                "Archive", "Auth", "JSApps", "RunnerProtocol", "Samples", "Scheduling", "Text",
                "forging-unpacker", "nervous-unpacker", "package-updater", crypto,
            ]),
        tests(
            "AppRuns",
            [
                "AppRuns", "Auth", "RunnerProtocol", "Text", "forging-runner", "nervous-runner",
            ]),
        tests(
            "Runner",
            [
                "CEscapeProbes", "RunnerProtocol", "nervous-runner", "sandbox-probe",
            ],
            plugins: ["BundleLibraries"]),
        tests("API", ["API", "Text"]),
        tests("MCP", ["API", "MCP", "Text"]),
        tests(
            "Provider",
            [
                "API", "Addresses", "Alerts", "AppRuns", "AppStorage", "Archive", "Auth",
                "Connectors", "Dialects", "Egress", "Health", "Ingest", "JSApps", "LAE", "MCP",
                "Provider", "Resources", "Samples", "Scheduling", "Sealing", "Sessions", "Text",
                "Tracks",
                "VM", "nervous-runner", "nervous-unpacker", httpTypes, hummingbird, lifecycle,
                logging, nioCore, nioEmbedded, nioHTTPTypes, nioPosix, nioSSL, nioWebSocket,
            ], exclude: ["SDK/Typings"]),
        tests(
            "Host",
            [
                "API", "Addresses", "AppRuns", "Auth", "Connectors", "Host", "JSApps", "Samples",
                "Text", "VM", crypto, logging, nioCore, nioPosix, nioSSL,
            ]),
        tests(
            "Commands",
            [
                "API", "Addresses", "Auth", "Commands", "Egress", "Host", "JSApps", "Samples",
                "Simulation", "Text", "VM", "nervous", "nervous-runner", "nervous-unpacker",
                argumentParser, grdb,
            ], exclude: ["Apps", "EarlierVersion", "Snapshots"]),
    ]
)

// swift-tools-version: 6.2
import PackageDescription

/// Every target is Swift 6, hides what it imports and treats a warning as an error.
let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let lifecycle = Target.Dependency.product(
    name: "ServiceLifecycle", package: "swift-service-lifecycle")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")

let package = Package(
    name: "nervous",
    products: [
        .executable(name: "nervous", targets: ["nervous"]),
        .executable(name: "nervous-runner", targets: ["nervous-runner"]),
        .executable(name: "nervous-unpacker", targets: ["nervous-unpacker"]),
        .library(name: "SampleStore", targets: ["SampleStore", "Samples"]),
        .library(name: "SampleForms", targets: ["SampleForms", "Samples"]),
        .library(name: "Derived", targets: ["Derived", "Samples"]),
        .library(name: "Connectors", targets: ["Connectors"]),
        .library(name: "Payloads", targets: ["Payloads", "Samples"]),
        .library(name: "RunnerProtocol", targets: ["RunnerProtocol"]),
        .library(name: "VM", targets: ["VM"]),
        .library(name: "LAE", targets: ["LAE"]),
        .library(name: "Texts", targets: ["Texts"]),
        .library(name: "Auth", targets: ["Auth"]),
        .library(name: "JSApps", targets: ["JSApps"]),
        .library(name: "Provider", targets: ["Provider"]),
        .library(name: "Net", targets: ["Net", "Addresses"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1",
            traits: ["FullFoundation"]),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // System and C libraries; Scripts/imports.txt says who uses them.
        .systemLibrary(
            name: "CJavaScriptCore", pkgConfig: "javascriptcoregtk-4.1",
            providers: [.apt(["libjavascriptcoregtk-4.1-dev"])]),
        .systemLibrary(
            name: "CArchive", pkgConfig: "libarchive",
            providers: [.apt(["libarchive-dev"])]),
        .systemLibrary(
            name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(
            name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(
            name: "CMosquitto", pkgConfig: "libmosquitto",
            providers: [.apt(["libmosquitto-dev"])]),
        .target(name: "CSandbox", cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]),
        .target(name: "CFiles", cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]),
        .target(name: "CProcess", cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]),

        .target(
            name: "CEscapeProbes", cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]),

        .target(name: "Files", swiftSettings: house),

        // Samples and statistics.
        .target(name: "Samples", swiftSettings: house),
        .target(name: "SampleForms", dependencies: ["Samples"], swiftSettings: house),
        .target(name: "Derived", dependencies: ["Samples"], swiftSettings: house),
        .target(name: "Texts", swiftSettings: house),
        .target(name: "DBus", dependencies: ["CSystemd"], swiftSettings: house),
        .target(
            name: "Payloads", dependencies: ["Derived", "Samples", "Texts"], swiftSettings: house),
        .target(
            name: "Sessions", dependencies: ["Derived", "Files", "Samples", "Texts", grdb],
            swiftSettings: house),
        .target(
            name: "SampleStore", dependencies: ["Samples", "CZlib", "CZstd", grdb],
            swiftSettings: house),
        .target(
            name: "VM", dependencies: ["Files", "Samples", "SampleStore", lifecycle, logging],
            swiftSettings: house),
        .target(name: "Simulation", dependencies: ["Samples", "VM"], swiftSettings: house),
        .target(
            name: "Connectors",
            dependencies: [
                "Addresses", "CMosquitto", "CProcess", "DBus", "Derived", "Files", "Payloads",
                "Samples",
                "Simulation", "Texts", "Transport", "VM", logging,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ], swiftSettings: house),
        .target(
            name: "Outbox", dependencies: ["Addresses", "Files", "Samples", "Texts", logging],
            swiftSettings: house),
        .target(name: "LAE", dependencies: ["Samples", "VM", "Auth"], swiftSettings: house),

        // Permission, and what is reached with it.
        .target(name: "Addresses", swiftSettings: house),
        .target(
            name: "Transport",
            dependencies: [
                "Addresses",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ], swiftSettings: house),
        .target(
            name: "Net",
            dependencies: [
                "Addresses", "Auth", "Transport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ], swiftSettings: house),
        .target(
            name: "Auth",
            dependencies: [
                "Addresses", "Files", "Samples", "Texts", grdb, logging, lifecycle,
                .product(name: "Crypto", package: "swift-crypto"),
            ], swiftSettings: house),

        // Apps.
        .target(name: "RunnerProtocol", swiftSettings: house),
        .target(
            name: "Archive", dependencies: ["CArchive", "RunnerProtocol"], swiftSettings: house),
        .target(
            name: "JSApps",
            dependencies: [
                "Auth", "Archive", "CFiles", "CProcess", "Files", "RunnerProtocol", "Texts",
                logging,
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            resources: ["package.json", "app.js", "app.html", "page.js", "app.test.js"].map {
                .embedInCode("Skeleton/Template/\($0)")
            }, swiftSettings: house),
        .executableTarget(
            name: "nervous-unpacker", dependencies: ["Archive", "CSandbox", "RunnerProtocol"],
            path: "Sources/Unpacker", swiftSettings: house),
        .executableTarget(
            name: "nervous-runner",
            dependencies: [
                "CJavaScriptCore", "CProcess", "CSandbox", "CEscapeProbes", "RunnerProtocol",
            ],
            path: "Sources/Runner", exclude: ["Libraries"],
            resources: [
                "primordials", "errors", "inspect", "console", "timers", "events", "encoding",
                "crypto", "clone", "addresses", "search-params", "url", "streams", "headers",
                "fetch", "xhr", "storage", "window", "libraries", "modules", "document",
                "bootstrap",
            ].map { .embedInCode("Resources/\($0).js") }, swiftSettings: house),

        // The door and the person.
        .target(name: "Desktop", dependencies: ["DBus"], swiftSettings: house),
        .target(
            name: "Provider",
            dependencies: [
                "Addresses", "Connectors", "Samples", "SampleForms", "LAE", "Auth", "JSApps", "Net",
                "Texts",
                "VM", "Derived", "Outbox", "Sessions", "Payloads", "CZlib", hummingbird,
                hummingbirdCore,
                lifecycle, logging,
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
            ],
            resources: [
                .embedInCode("Resources/nervous.js"),
                .embedInCode("Resources/generic-sensor.js"),
                .embedInCode("Resources/navigator.js"),
                .embedInCode("Resources/nervous.d.ts"),
                .embedInCode("Resources/test.js"),
                .embedInCode("Resources/libs.js"),
                .embedInCode("Resources/styles.css"),
                .embedInCode("Resources/openapi.json"),
            ], swiftSettings: house),
        .target(
            name: "Host",
            dependencies: [
                "Addresses", "Connectors", "Samples", "SampleForms", "Texts", "VM", "Simulation",
                "LAE", "Auth", "JSApps", "Net", "Provider", "Desktop", "RunnerProtocol", "Derived",
                "Files", "Outbox", "Sessions", "Payloads", lifecycle, logging, hummingbird,
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ], swiftSettings: house, plugins: ["BundleLibraries"]),
        .plugin(name: "BundleLibraries", capability: .buildTool()),
        .executableTarget(name: "nervous", dependencies: ["Host"], swiftSettings: house),

        .target(
            name: "CSpawn", path: "Tests/CSpawn",
            cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]),
        .target(
            name: "TestSupport",
            dependencies: [
                "CProcess", "CSpawn",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ], path: "Tests/TestSupport", swiftSettings: house),
        .testTarget(
            name: "TestSupportTests", dependencies: ["CProcess", "TestSupport"],
            swiftSettings: house),
        .testTarget(
            name: "FilesTests", dependencies: ["Files", "TestSupport"], swiftSettings: house),
        .testTarget(
            name: "SamplesTests", dependencies: ["Samples", "TestSupport"], swiftSettings: house),
        .testTarget(
            name: "OutboxTests", dependencies: ["Addresses", "Outbox", "Samples"],
            swiftSettings: house),
        .testTarget(
            name: "SampleFormsTests", dependencies: ["SampleForms", "Samples", "TestSupport"],
            swiftSettings: house),
        .testTarget(
            name: "DerivedTests", dependencies: ["Derived", "Samples", "TestSupport"],
            resources: [.copy("Fixtures")], swiftSettings: house),
        .testTarget(
            name: "SessionsTests",
            dependencies: ["Sessions", "Derived", "Samples", grdb, "TestSupport"],
            swiftSettings: house),
        .testTarget(
            name: "PayloadsTests",
            dependencies: ["Payloads", "Derived", "Samples", "Texts", "TestSupport"],
            swiftSettings: house),
        .executableTarget(
            name: "store-writer", dependencies: ["SampleStore", "Samples"],
            path: "Tests/StoreWriter", swiftSettings: house),
        .testTarget(
            name: "ConnectorsTests",
            dependencies: [
                "Addresses", "Connectors", "DBus", "Derived", "Payloads", "Samples", "VM",
                "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ], exclude: ["Bluetooth/bluez.py"], swiftSettings: house),
        .testTarget(
            name: "SampleStoreTests",
            dependencies: ["SampleStore", "Samples", grdb, "store-writer", "TestSupport"],
            swiftSettings: house),
        .testTarget(
            name: "VMTests", dependencies: ["VM", "Samples", "TestSupport"], swiftSettings: house),
        .testTarget(
            name: "SimulationTests", dependencies: ["Simulation", "VM", "Samples", "TestSupport"],
            swiftSettings: house),
        .executableTarget(
            name: "log-writer", dependencies: ["Auth"], path: "Tests/LogWriter",
            swiftSettings: house),
        .testTarget(
            name: "AuthTests",
            dependencies: [
                "Addresses", "Auth", "Samples", "Texts", grdb, "log-writer", "TestSupport",
            ],
            swiftSettings: house),
        .testTarget(
            name: "TextsTests", dependencies: ["Texts", "TestSupport"], swiftSettings: house),
        .testTarget(
            name: "AddressesTests", dependencies: ["Addresses", "TestSupport"],
            swiftSettings: house),
        .testTarget(
            name: "TransportTests",
            dependencies: [
                "Addresses", "Transport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"), "TestSupport",
            ], swiftSettings: house),
        .testTarget(
            name: "NetTests",
            dependencies: [
                "Addresses", "Auth", "Net", "Samples", logging,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"), "TestSupport",
            ], swiftSettings: house),
        .testTarget(
            name: "LAETests",
            dependencies: ["LAE", "VM", "SampleStore", "Auth", "Samples", "TestSupport"],
            resources: [.copy("Fixtures")], swiftSettings: house),
        .testTarget(
            name: "JSAppsTests",
            dependencies: [
                "JSApps", "Archive", "Auth", "RunnerProtocol", "Texts", "forging-runner",
                "nervous-runner",
                "nervous-unpacker", "forging-unpacker", "package-updater", "TestSupport",
            ], swiftSettings: house),
        .executableTarget(name: "forging-unpacker", path: "Tests/ForgingUnpacker"),
        .executableTarget(
            name: "package-updater", dependencies: ["JSApps"], path: "Tests/PackageUpdater",
            swiftSettings: house),
        .executableTarget(name: "forging-runner", path: "Tests/ForgingRunner"),
        .executableTarget(
            name: "sandbox-probe", dependencies: ["CSandbox"], path: "Tests/SandboxProbe"),
        .testTarget(
            name: "RunnerTests",
            dependencies: [
                "RunnerProtocol", "CEscapeProbes", "nervous-runner", "sandbox-probe", "TestSupport",
            ],
            swiftSettings: house, plugins: ["BundleLibraries"]),
        .testTarget(
            name: "ProviderTests",
            dependencies: [
                "Provider", "Addresses", "Connectors", "LAE", "VM", "Auth", "JSApps", "Net",
                "Samples", "Texts", "SampleForms", "Derived", "Outbox", "Sessions", "Payloads",
                "nervous-runner", "nervous-unpacker",
                hummingbird, lifecycle, logging,
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"), "TestSupport",
            ], exclude: ["SDK/Typings"], swiftSettings: house),
        .testTarget(
            name: "DBusTests", dependencies: ["DBus", "TestSupport"], exclude: ["peer.py"],
            swiftSettings: house),
        .testTarget(
            name: "DesktopTests", dependencies: ["Desktop", "TestSupport"], swiftSettings: house),
        .testTarget(
            name: "HostTests",
            dependencies: [
                "Host", "Addresses", "Auth", "Connectors", "JSApps", "Samples", "nervous",
                "nervous-runner", "nervous-unpacker", grdb, logging, "TestSupport",
            ],
            exclude: ["Apps"], swiftSettings: house),
    ]
)

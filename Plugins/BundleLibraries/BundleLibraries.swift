import Foundation
import PackagePlugin

/// Bundles the scripts that a runner loads when an app needs them, from what Debian has installed.
///
/// Without those packages nothing is bundled: the host works, and says what its apps lack.
@main
struct BundleLibraries: BuildToolPlugin {
    private static let bundler = "/usr/bin/esbuild"
    private static let modules = "/usr/share/nodejs"
    /// Each library, and what it is made of beside our own scripts.
    private static let libraries = [
        ("document", "domino"), ("modules", "acorn"), ("encodings", "iconv-lite"),
    ]

    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let sources = context.package.directoryURL.appending(path: "Sources/Runner/Libraries")
        let files = FileManager.default
        guard files.isExecutableFile(atPath: Self.bundler) else {
            Diagnostics.warning("Pages, modules and encodings are left out: esbuild is missing. Run make setup.")
            return []
        }
        return try Self.libraries.compactMap { name, needed in
            guard files.fileExists(atPath: "\(Self.modules)/\(needed)") else {
                Diagnostics.warning(
                    "The library ‘\(name)’ is left out: node-\(needed) is missing. Run make setup.")
                return nil
            }
            let folder = sources.appending(path: name)
            let scripts = try files.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: nil)
            let product = context.pluginWorkDirectoryURL.appending(path: "\(name).js")
            return .buildCommand(
                displayName: "Bundling the library ‘\(name)’",
                executable: URL(filePath: "/usr/bin/env"),
                arguments: Self.arguments(
                    entry: folder.appending(path: "main.js").path, product: product.path),
                environment: ["NODE_PATH": Self.modules],
                inputFiles: scripts.sorted { $0.path < $1.path }, outputFiles: [product])
        }
    }

    /// The bundle names its files relative to the working directory, which must not be that of the clone.
    /// Names stay: domino finds its classes by them. ASCII keeps the engine at one byte a character.
    private static func arguments(entry: String, product: String) -> [String] {
        [
            "--chdir=/", "/bin/sh", "-c", withoutNeedlessNames, "sh", product,
            bundler, entry, "--bundle", "--format=iife", "--global-name=library",
            "--platform=browser",
            "--target=es2022", "--charset=ascii", "--keep-names", "--minify-whitespace",
            "--define:global=globalThis", "--log-level=warning", "--banner:js=(function () {",
            "--footer:js=return library.default; })",
        ]
    }

    /// Runs the bundler, and removes the calls that give a function the name that it has.
    ///
    /// Each such call takes memory of every page: 0.2 MiB in all.
    private static let withoutNeedlessNames = #"""
        product=$1; shift
        "$@" --outfile="$product" \
            && /usr/bin/sed -E -i 's/__name\(([A-Za-z0-9_$]+),"\1"\);//g' "$product"
        """#
}

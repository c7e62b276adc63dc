import API
import Foundation
import Host
import JSApps

/// The packages that can be installed by name: those that come with Nervous, then those of the catalogues.
struct AvailablePackages {
    /// One package.
    struct Item: Encodable, Sendable {
        let catalogue: String
        let kind: String
        let name: String
        let version: String?
        let title: String?
        let description: String?
        /// The bytes and the SHA-256 of its file; `nil` for a bundled one.
        let size: Int?
        let sha256: String?
        /// The installed version of the app of that name; `nil` if there is none.
        let installed: String?
        /// Whether it is a higher version than the installed one.
        let isUpdate: Bool
        /// The folder of a bundled one.
        let path: String?

        private enum CodingKeys: String, CodingKey {
            case catalogue, kind, name, version, title, description, size, sha256, installed
            case isUpdate = "update"
        }

        var isApp: Bool { kind == CataloguePackage.Kind.app.rawValue }

        /// Whether each word occurs in its name, title or description.
        func matches(_ words: [String]) -> Bool {
            let texts = [name, title ?? "", description ?? ""].map { $0.lowercased() }
            return words.allSatisfy { word in
                texts.contains { $0.contains(word.lowercased()) }
            }
        }
    }

    let items: [Item]

    /// Asks the host for its catalogues and the installed apps.
    init(_ client: APIClient) async throws {
        var installed: [String: String] = [:]
        for app in try await client.apps().value.items { installed[app.name] = app.version }
        var items = Self.bundled(installed)
        for catalogue in try await client.catalogues().value.items {
            let packages = try await client.catalogue(catalogue.name).value.packages ?? []
            items += packages.map { package in
                let isApp = package.kind == CataloguePackage.Kind.app.rawValue
                let old = isApp ? installed[package.name] : nil
                return Item(
                    catalogue: catalogue.name, kind: package.kind, name: package.name,
                    version: package.version, title: package.title,
                    description: package.description, size: package.size,
                    sha256: package.sha256, installed: old,
                    isUpdate: Self.isUpdate(from: old, to: package.version), path: nil)
            }
        }
        self.items = items
    }

    private static func bundled(_ installed: [String: String]) -> [Item] {
        let content = BundledContent()
        let kinds: [(BundledContent.Kind, CataloguePackage.Kind)] = [
            (.app, .app), (.sensorPack, .sensorPack),
        ]
        return kinds.flatMap { folder, kind in
            content.items(folder).map { item in
                let old = kind == .app ? installed[item.name] : nil
                return Item(
                    catalogue: CatalogueStore.bundled, kind: kind.rawValue, name: item.name,
                    version: item.version, title: item.title, description: nil, size: nil,
                    sha256: nil, installed: old,
                    isUpdate: isUpdate(from: old, to: item.version), path: item.path)
            }
        }
    }

    private static func isUpdate(from old: String?, to new: String?) -> Bool {
        guard let old = old.flatMap({ SemanticVersion($0) }),
            let new = new.flatMap({ SemanticVersion($0) })
        else { return false }
        return old < new
    }

    /// The package of a name: a bundled one, or that of the only catalogue that has one.
    ///
    /// - Parameter catalogue: the catalogue to look in; `nil` for all.
    /// - Throws: `noInput` if there is none, `usage` if several catalogues have one.
    func package(named name: String, in catalogue: String?) throws -> Item {
        try Self.one(
            of: items.filter { item in
                item.name == name && (catalogue.map { item.catalogue == $0 } ?? true)
            }, named: name)
    }

    /// The package of the highest version that updates an installed app.
    ///
    /// - Returns: `nil` if there is no update.
    /// - Throws: `noInput` if the app is not installed, `usage` if several catalogues have an update.
    func update(of name: String, in catalogue: String?) throws -> Item? {
        let found = items.filter { item in
            item.isUpdate && item.name == name && (catalogue.map { item.catalogue == $0 } ?? true)
        }
        return found.isEmpty ? nil : try Self.one(of: found, named: name)
    }

    private static func one(of found: [Item], named name: String) throws -> Item {
        guard let first = found.first else {
            throw CommandFailure(
                .noInput, "No catalogue has a package of that name.",
                hint: "Search with: nervous apps search WORD", type: "no-such-package")
        }
        guard found.count == 1 || first.catalogue == CatalogueStore.bundled else {
            let names = found.map(\.catalogue).joined(separator: ", ")
            throw CommandFailure(
                .usage, "Several catalogues have \(name): \(names).",
                hint: "Choose one with --catalogue NAME", type: "several-catalogues")
        }
        return first
    }
}

extension AvailablePackages.Item {
    /// Installs the app.
    ///
    /// - Parameter confirm: called with what the installation would change, before it is made.
    func install(
        with client: APIClient, _ options: GlobalOptions, isDryRun: Bool,
        allowsDowngrade: Bool = false, confirm: ((AppDescription) throws -> Void)? = nil
    ) async throws -> APIReply<AppDescription> {
        guard isApp else {
            throw CommandFailure(
                .usage, "\(name) is a sensor pack.",
                hint: "Install it with: nervous sensors install \(name)", type: "not-an-app")
        }
        func install(
            _ call: (_ isDryRun: Bool) async throws -> APIReply<AppDescription>
        ) async throws -> APIReply<AppDescription> {
            if let confirm { try confirm(try await call(true).value) }
            return try await call(isDryRun)
        }
        if let path {
            let package = try PackageArgument(
                path: path, limits: options.host.configuration.packages)
            return try await install {
                try await client.install(package, isDryRun: $0, allowsDowngrade: allowsDowngrade)
            }
        }
        return try await PackageDownload(package: name, of: catalogue)
            .use(with: client, options.console, isKept: isDryRun) { package in
                try await install {
                    try await client.install(
                        package, isDryRun: $0, allowsDowngrade: allowsDowngrade)
                }
            }
    }
}

import API
import Auth
import Foundation
import HTTPTypes
import Hummingbird
import JSApps
import Samples
import Scheduling

/// Catalogues of packages, for the owner.
struct CatalogueRoutes {
    let authorizer: RequestAuthorizer
    let store: CatalogueStore
    let reader: CatalogueReader
    let library: AppLibrary
    let time: any TimeSource

    func add(to routes: inout RouteTable) {
        routes.on(.catalogues, [.get: list, .post: add])
        routes.on(.catalogue("{catalogue}"), [.get: one, .delete: remove])
        routes.on(.refresh(ofCatalogue: "{catalogue}"), [.post: refresh])
    }

    @Sendable
    private func list(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("catalogues", request, context)
        let names = await library.signerNames()
        return try .json(
            ItemList(
                try await store.catalogues().map { CatalogueDescription($0, names) }))
    }

    @Sendable
    private func one(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("catalogue", request, context)
        let catalogue = try await store.catalogue(named: context.required("catalogue"))
        return try .json(
            CatalogueDescription(catalogue, await library.signerNames(), listsPackages: true))
    }

    /// Reads a catalogue, and adds it with the key that the owner accepted.
    @Sendable
    private func add(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.owner("add-catalogue", request, context)
        try request.rejectParameters(except: ["dryRun"])
        let isDryRun = try request.flag("dryRun")
        let body = try await request.json(CatalogueRequest.self)
        guard let location = CatalogueLocation(body.address) else {
            throw CatalogueReader.invalidAddress
        }
        let key = try body.key.map { text throws(Problem) in
            guard let key = SignerKey(text) else {
                throw Problem(.invalidBody, "The key of the catalogue is not a public key.")
            }
            return key
        }
        let given = try body.name.map { text throws(Problem) in
            guard let name = AppName(text) else {
                throw Problem(
                    .invalidBody, "The name of a catalogue is a word in kebab-case.",
                    fix: "Use a–z and 0–9, words joined by ‘-’.")
            }
            return name
        }
        guard isDryRun || key != nil else {
            throw Problem(
                .invalidBody, "A catalogue is added with the key that you accept.",
                fix: "Ask for its key first, with dryRun=true.")
        }
        let edition = try await reader.read(location, for: client)
        let name = given ?? edition.index.name
        let names = await library.signerNames()
        guard !isDryRun, let key else {
            try await store.check(edition, named: name)
            return try .json(
                CatalogueDescription(edition, named: name, at: location.text, names))
        }
        let catalogue = try await store.add(
            edition, named: name, from: location.text, pinned: key, at: time.now())
        var response = try Response.json(CatalogueDescription(catalogue, names), status: .created)
        response.headers[.location] = APIPath.catalogue(name.text).description
        return response
    }

    @Sendable
    private func refresh(_ request: Request, _ context: ProviderContext) async throws -> Response {
        let client = try await authorizer.owner("refresh-catalogue", request, context)
        let known = try await store.catalogue(named: context.required("catalogue"))
        guard let location = CatalogueLocation(known.address) else {
            throw CatalogueReader.invalidAddress
        }
        let edition = try await reader.read(location, for: client)
        let catalogue = try await store.refresh(known.name.text, with: edition, at: time.now())
        return try .json(CatalogueDescription(catalogue, await library.signerNames()))
    }

    @Sendable
    private func remove(_ request: Request, _ context: ProviderContext) async throws -> Response {
        try await authorizer.owner("remove-catalogue", request, context)
        try await store.remove(context.required("catalogue"))
        return Response(status: .noContent)
    }
}

extension CatalogueDescription {
    /// - Parameter names: the owner's names for keys.
    fileprivate init(
        _ catalogue: Catalogue, _ names: [SignerKey: String], listsPackages: Bool = false
    ) {
        self.init(
            catalogue.edition, named: catalogue.name, at: catalogue.address, names,
            refreshed: catalogue.refreshed.milliseconds, listsPackages: listsPackages)
    }

    fileprivate init(
        _ edition: CatalogueEdition, named name: AppName, at address: String,
        _ names: [SignerKey: String], refreshed: Double? = nil, listsPackages: Bool = false
    ) {
        let index = edition.index
        self.init(
            name: name.text, published: index.name.text, title: index.title, address: address,
            key: edition.signer.text, fingerprint: edition.signer.fingerprint,
            signer: names[edition.signer], sequence: index.sequence, refreshed: refreshed,
            count: index.packages.count,
            packages: listsPackages ? index.packages.map(Package.init) : nil)
    }
}

extension CatalogueDescription.Package {
    fileprivate init(_ package: CataloguePackage) {
        self.init(
            kind: package.kind.rawValue, name: package.name.text, version: package.version,
            title: package.title, description: package.summary, size: package.size,
            sha256: package.sha256)
    }
}

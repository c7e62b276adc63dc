import API
import Auth
import HTTPTypes
import Hummingbird
import JSApps
import NIOCore
import Text

/// Serves the map tiles in the owner's folder to the pages of the dashboard, at `/dashboard/tiles`.
///
/// They reveal which region the owner is interested in, so they require the token of a dashboard session, unlike
/// the files of the dashboard itself.
struct MapTileFiles {
    private static let root = "/dashboard/tiles"

    /// `nil` if the owner names no folder.
    let tiles: MapTiles?
    let authority: Authority

    /// The content of the folder.
    private struct Contents: Encodable {
        let zooms: [Int]
        let attribution: String?
    }

    /// The response to a request below `/dashboard/tiles`; `nil` for another path.
    ///
    /// `/dashboard/tiles` returns a description of the folder, or 204 if no folder is configured; a
    /// tile is at `/dashboard/tiles/z/x/y`.
    func response(to request: Request) async throws -> Response? {
        let path = request.uri.path
        guard path == Self.root || path.hasPrefix(Self.root + "/") else { return nil }
        guard request.method == .get else {
            throw Problem.methodNotAllowed(request.method, allowed: ["GET"])
        }
        let token = request.headers[.authorization].flatMap {
            TokenScheme.token(in: $0, among: [.bearer])
        }
        guard let token, await authority.isOfDashboard(token: token) else {
            throw Problem(.invalidToken, "Map tiles require the token of a dashboard session.")
        }
        if path == Self.root { return try await contents() }
        guard let tiles,
            let address = MapTiles.Address(path.dropFirst(Self.root.count + 1)),
            let tile = await tiles.tile(at: address)
        else { throw Problem.notFound("There is no map tile at this address.") }
        return Response(
            status: .ok,
            headers: [.contentType: tile.format.type.rawValue, .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: tile.bytes)))
    }

    private func contents() async throws -> Response {
        guard let tiles else { return Response(status: .noContent) }
        return try .json(
            Contents(zooms: await tiles.zooms(), attribution: await tiles.attribution()))
    }
}

extension MapTiles.Tile.Format {
    fileprivate var type: FileType {
        switch self {
        case .png: .png
        case .jpeg: .jpeg
        case .webp: .webp
        }
    }
}

import Foundation
import JSApps

/// Catalogues of packages.
extension Exercise {
    static func catalogues(_ host: ServedHost) throws -> [Exercise] {
        let newer = try TestCatalogue(of: ["listed-app"], sequence: 2, in: host.folder)
        let older = try TestCatalogue(of: [], sequence: 1, in: host.folder)
        let broken = try TestCatalogue(of: [], sequence: 3, in: host.folder)
        try broken.write("index.json", Array("{}".utf8))
        func request(_ catalogue: TestCatalogue, key: Bool = true) -> String {
            let member = key ? #", "key": "\#(catalogue.key)""# : ""
            return #"{"address": "\#(catalogue.path)"\#(member)}"#
        }
        let path = "/catalogues"
        return [
            host.owned(
                "addCatalogue", 200, "POST", path + "?dryRun=true",
                json: request(newer, key: false)),
            host.owned("addCatalogue", 201, "POST", path, json: request(newer)),
            host.owned("addCatalogue", 400, "POST", path, json: request(newer, key: false)),
            host.owned(
                "addCatalogue", 404, "POST", path,
                json: #"{"address": "\#(newer.path)/none", "key": "\#(newer.key)"}"#),
            host.owned("addCatalogue", 409, "POST", path, json: request(older)),
            host.owned("addCatalogue", 422, "POST", path, json: request(broken)),
            host.owned("listCatalogues", 200, "GET", path),
            host.owned("catalogue", 200, "GET", path + "/example"),
            host.owned("catalogue", 404, "GET", path + "/none"),
            host.owned("refreshCatalogue", 200, "POST", path + "/example/refresh"),
            host.owned("refreshCatalogue", 404, "POST", path + "/none/refresh"),
            host.owned(
                "startDownload", 404, "POST", "/downloads",
                json: #"{"catalogue": "example", "package": "none"}"#),
            host.owned("checkPack", 404, "POST", "/sensor-packs?download=none"),
            host.owned("removeCatalogue", 204, "DELETE", path + "/example"),
            host.owned("removeCatalogue", 404, "DELETE", path + "/example"),
        ] + host.wrongBodies("addCatalogue", "POST", path)
    }
}

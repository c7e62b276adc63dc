/// Sensor packs.
extension Exercise {
    static func packs(_ host: ServedHost) -> [Exercise] {
        func owned(
            _ operation: String, _ status: Int, _ method: String, _ target: String,
            json: String? = nil
        ) -> Exercise {
            host.owned(operation, status, method, "/sensor-packs" + target, json: json)
        }
        let pack = """
            {"id": "turning.left", "title": "A made-up gyroscope",
             "fields": [{"name": "x", "unit": "rad/s"}],
             "source": {"kind": "simulated", "sensor": "gyroscope"}}
            """
        let gauge = pack.replacing("turning.left", with: "gauge")
        return [
            owned("checkPack", 200, "POST", "", json: pack),
            owned("checkPack", 200, "POST", "?as=turning.right&set=rate:=5", json: pack),
            owned("checkPack", 400, "POST", "?as=No", json: pack),
            owned("checkPack", 422, "POST", "", json: "{"),
            owned("installPack", 201, "PUT", "/turning.left", json: pack),
            owned("installPack", 200, "PUT", "/turning.left", json: pack),
            owned("installPack", 409, "PUT", "/gauge", json: gauge),
            owned("installPack", 413, "PUT", "/turning.left", json: big),
            owned("installPack", 422, "PUT", "/turning.right", json: pack),
            owned("installPack", 404, "PUT", "/Not-One", json: pack),
            owned("packs", 200, "GET", ""),
            owned("pack", 200, "GET", "/turning.left"),
            owned("pack", 404, "GET", "/turning.right"),
            owned("removePack", 204, "DELETE", "/turning.left"),
            owned("removePack", 404, "DELETE", "/turning.left"),
        ]
    }
}

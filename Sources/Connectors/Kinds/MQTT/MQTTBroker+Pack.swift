extension MQTTBroker {
    /// Reads the keys of a source: `host`, `port`, `username`, `password` or `passwordFile`, `tls`, `ca`.
    init(_ source: inout PackObject) throws(PackError) {
        let host = try source.requiredText("host")
        guard Self.isHost(host) else {
            throw source.wrong("host", "is no name or address of a machine")
        }
        let port = try source.integer("port", in: 1...65_535)
        let username = try source.text("username")
        let text = try source.text("password")
        let file = try source.text("passwordFile")
        guard text == nil || file == nil else {
            throw source.wrong("passwordFile", "stands beside a password")
        }
        guard username != nil || text == nil && file == nil else {
            throw source.missing("username")
        }
        guard file?.hasPrefix("/") != false else {
            throw source.wrong("passwordFile", "is no absolute path")
        }
        let isSecret = try source.flag("tls") ?? false
        let authorities = try source.text("ca")
        guard authorities == nil || isSecret else {
            throw source.wrong("ca", "belongs to tls")
        }
        guard authorities?.hasPrefix("/") != false else {
            throw source.wrong("ca", "is no absolute path")
        }
        self.init(
            host: host, port: port, username: username,
            password: text.map(Password.text) ?? file.map(Password.file),
            trust: isSecret ? authorities.map(Trust.authorities) ?? .system : nil)
    }
}

/// The scripts that a page loads by their address.
struct PageScripts {
    /// Where published apps find their own files, before their name.
    private static let ownFolders: Set = ["nervous-jsapps", "nervousnet-axons", "axon-res"]

    /// What their `src` attributes say, in the order of the page.
    let addresses: [String]

    init(in page: [UInt8]) {
        var reader = PageReader(page)
        while reader.nextScript() != nil {}
        addresses = reader.addresses
    }

    /// Whether one of them is this file at the top of the app's folder.
    func load(_ file: String) -> Bool {
        addresses.contains { address in
            var parts = address.prefix { $0 != "?" && $0 != "#" }.split(separator: "/")
            parts.removeAll { $0 == "." }
            if parts.count == 3, Self.ownFolders.contains(String(parts[0])) {
                parts.removeFirst(2)
            }
            return parts == [file[...]]
        }
    }
}

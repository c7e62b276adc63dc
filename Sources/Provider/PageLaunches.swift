import Auth
import Foundation
import Hummingbird
import NIOCore

/// Puts a nonce into the pages that this host serves to the owner's browser, so that only they redeem
/// launch codes.
///
/// The code alone is not enough: another program that listens at the app's address could serve a
/// page there, and the page would find the code in its own URL. A page gets a nonce if
/// - a launch code of its app is waiting to be redeemed,
/// - the connection belongs to a program of this user or of root, according to the kernel, so that no
///   other user can fetch a nonce and put it into a page of their own,
/// - the owner opened its address, which browsers report in header fields that scripts cannot set, so
///   that no other page can fetch a nonce.
struct PageLaunches: Sendable {
    let authority: Authority

    /// The nonce for a page of an app; `nil` if the page is to be served without one.
    func nonce(
        for app: String, _ request: Request, _ context: ProviderContext
    ) async -> PageNonce? {
        let metadata = FetchMetadata(request)
        guard context.transport == .network, request.method == .get, metadata.isNavigation,
            metadata.site == "none", let ends = context.ends,
            await authority.hasLaunchCode(for: app)
        else { return nil }
        let user = ConnectionTable.user(from: ends.remote, to: ends.local)
        guard let user, user == geteuid() || user == 0 else { return nil }
        return PageNonce(text: await authority.pageNonce(for: app))
    }
}

/// A single-use random value in a page that the host served.
struct PageNonce: Sendable {
    let text: String

    /// The page with the value in a `meta` element.
    ///
    /// The element follows the doctype, where the parser begins the head: before the doctype it
    /// would cause quirks mode; further down, scripts of the head would run before it exists.
    func inserted(into page: [UInt8]) -> [UInt8] {
        let place = Self.endOfProlog(in: page)
        let element = #"<meta name="nervous-page" content="\#(text)">"#
        return Array(page[..<place]) + Array(element.utf8) + Array(page[place...])
    }

    /// The end of the byte order mark, white space, comments and doctype at the start of a page.
    private static func endOfProlog(in page: [UInt8]) -> Int {
        var place = page.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while true {
            let start =
                page[place...].firstIndex { ![9, 10, 12, 13, 32].contains($0) } ?? page.count
            let rest = page[start...]
            let end: [UInt8]
            if rest.starts(with: Array("<!--".utf8)) {
                end = Array("-->".utf8)
            } else if rest.starts(with: Array("<!".utf8)) || rest.starts(with: Array("<?".utf8)) {
                end = Array(">".utf8)
            } else {
                return place
            }
            guard let found = rest.firstRange(of: end) else { return place }
            place = found.upperBound
        }
    }
}

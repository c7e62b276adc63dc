import Auth
import Foundation
import Hummingbird
import NIOCore

/// Puts a nonce into the pages that this host serves to the owner's browser, so that only they redeem
/// launch codes.
///
/// The code alone is not enough: another program that listens at the app's address could serve a
/// page there, and the page would find the code in its own URL. A page gets a nonce if
/// - a launch code of its app, or of the dashboard, is waiting to be redeemed,
/// - the connection belongs to a program of this user or of root, according to the kernel, so that no
///   other user can fetch a nonce and put it into a page of their own,
/// - the owner opened its address, or the dashboard opened the page of an app, which browsers report in
///   header fields that scripts cannot set, so that no other page can fetch a nonce.
struct PageLaunches: Sendable {
    let authority: Authority
    let site: OwnerSite

    /// The nonce for a page; `nil` if the page is to be served without one.
    func nonce(
        for page: LaunchedPage, _ request: Request, _ context: ProviderContext
    ) async -> PageNonce? {
        let metadata = FetchMetadata(request)
        guard context.transport == .network, request.method == .get, metadata.isNavigation,
            metadata.site == "none" || page != .dashboard && isFromDashboard(request, metadata),
            let ends = context.ends, await authority.hasLaunchCode(for: page)
        else { return nil }
        let user = ConnectionTable.user(from: ends.remote, to: ends.local)
        guard let user, user == geteuid() || user == 0 else { return nil }
        return PageNonce(text: await authority.pageNonce(for: page))
    }

    /// Whether a page of the dashboard navigates to the page of an app.
    ///
    /// The origin in `Referer` is that of the page which navigates. A page that another program serves at
    /// the app's own origin is never accepted: it could read a window that it opened.
    private func isFromDashboard(_ request: Request, _ metadata: FetchMetadata) -> Bool {
        guard let referer = request.headers[.referer] else { return false }
        return ["same-site", "cross-site"].contains(metadata.site)
            && referer == site.url("/")
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
        let offset = Self.endOfProlog(in: page)
        let element = #"<meta name="nervous-page" content="\#(text)">"#
        return Array(page[..<offset]) + Array(element.utf8) + Array(page[offset...])
    }

    /// The end of the byte order mark, white space, comments and doctype at the start of a page.
    private static func endOfProlog(in page: [UInt8]) -> Int {
        var offset = page.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while true {
            let start =
                page[offset...].firstIndex { ![9, 10, 12, 13, 32].contains($0) } ?? page.count
            let rest = page[start...]
            let end: [UInt8]
            if rest.starts(with: Array("<!--".utf8)) {
                end = Array("-->".utf8)
            } else if rest.starts(with: Array("<!".utf8)) || rest.starts(with: Array("<?".utf8)) {
                end = Array(">".utf8)
            } else {
                return offset
            }
            guard let found = rest.firstRange(of: end) else { return offset }
            offset = found.upperBound
        }
    }
}

import Crypto
import Foundation
import TestSupport
import Testing

@testable import JSApps

/// The inline scripts that a page may run.
struct InlineScriptTests {
    private static func source(_ text: String) -> String {
        "'sha256-\(Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString())'"
    }

    @Test(arguments: [
        ("<script>go()</script>", ["go()"]),
        ("<SCRIPT type='text/javascript'>\r\n a \r</Script >", ["\n a \n"]),
        ("<script src=a.js>not run</script><script>run</script>", ["run"]),
        ("<b onclick=\"f('x')\">", ["f('x')"]),
        ("<b ONCLICK=f(1) onload = 'g()'>", ["f(1)", "g()"]),
        ("<b onclick='a &amp;&amp; b(&quot;&#39;&#x41;)'>", ["a && b(\"'A)"]),
        ("<b onclick='a && b &unknown; c'>", ["a && b &unknown; c"]),
        ("<a href='javascript:go()' title='onclick=no'>", ["javascript:go()"]),
        ("<b onclick=one onclick=two>", ["one"]),
        ("<!-- <script>no</script> --><script>yes</script>", ["yes"]),
        ("<!--><script>yes</script>", ["yes"]), ("<!--->-<script>yes</script>", ["yes"]),
        ("<!-- x --!><script>yes</script>", ["yes"]),
        ("<!-- -- > <script>no</script>", []),
        ("<!doctype html><?php <script>no</script>", []),
        ("<style>b { } <script>no</script></style>", []),
        ("<textarea><b onclick=no></textarea><b onclick=yes>", ["yes"]),
        ("<title><script>no</script></title>", []),
        ("<script>a</scriptx>b</script>", ["a</scriptx>b"]),
        ("<script>to the end", ["to the end"]), ("<b onclick='to the end", ["to the end"]),
        ("<script>a</script><script>a</script>", ["a"]),
        ("< script>no</script>", []), ("a < b <script>yes</script>", ["yes"]),
        ("</b onclick=no><b/onclick=yes/>", ["yes/"]),
        ("<", []), ("</", []), ("<!", []), ("<!--", []), ("<b", []),
        ("<b on", [""]), ("<b x=", []), ("", []),
    ])
    func `scripts are found as a browser finds them`(page: String, texts: [String]) {
        let expected = texts.map(Self.source)
        let found = InlineScripts(in: Array(page.utf8)).hashes
        #expect(Set(found) == Set(expected), "\(page)")
    }

    @Test func `a page with too many scripts runs the first ones`() {
        let page = (0..<1000).map { "<script>\($0)</script>" }.joined()
        #expect(InlineScripts(in: Array(page.utf8)).hashes.count == InlineScripts.limit)
    }

    @Test func `any bytes are parsed completely in bounded time`() {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var random = SplitMix(state: seed)
        let pieces = [
            "<script", ">", "</script", "<!--", "-->", "--!>", "<b ", "onclick=", "\"", "'", "/",
            "&amp;", "\u{0}", "é", " ", "<style>", "=", "x",
        ]
        for _ in 0..<500 {
            let count = Int.random(in: 0..<60, using: &random)
            let page = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            _ = InlineScripts(in: Array(page.utf8)).hashes
        }
        let open = Array(String(repeating: "<!-- -", count: 300_000).utf8)
        #expect(InlineScripts(in: open).hashes.isEmpty)
    }
}

/// Whether a page loads its app's script itself.
struct PageScriptsTests {
    @Test(arguments: [
        ("<script src=app.js></script>", true),
        ("<SCRIPT SRC = './app.js?v=1' defer></SCRIPT>", true),
        ("<script type=module src=\"/app.js#x\"></script>", true),
        ("<script src=\"/nervous-jsapps/demo/app.js\"></script>", true),
        ("<script src=a.js></script><p><script async src='app.js'>", true),
        ("<script src='app&#46;js'></script>", true),
        ("<!-- <script src=app.js></script> -->", false),
        ("<script>'<script src=app.js>'</script>", false),
        ("<script src=js/app.js></script>", false),
        ("<script src=https://example.org/app.js></script>", false),
        ("<script src=app.json></script>", false),
        ("<img src=app.js>", false),
        ("<textarea><script src=app.js></script></textarea>", false),
        ("<script src=", false),
        ("", false),
    ])
    func `a page loads a script where a browser would`(page: String, loads: Bool) {
        #expect(PageScripts(in: Array(page.utf8)).load("app.js") == loads)
    }
}

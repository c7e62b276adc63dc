import Testing

@testable import JSApps

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

import RunnerProtocol
import TestSupport
import Testing

/// Images that are not drawn: scripts wait for them and read their sizes.
@Suite(.blocking)
struct ImageTests {
    /// 8 by 4, and 300 by 200.
    private static let gif = "GIF89a\u{8}\u{0}\u{4}\u{0}\u{0}\u{0}\u{0}"
    private static let svg =
        "<?xml version='1.0'?><svg xmlns='x' width='300' height=\"200px\"></svg>"

    @Test func `an image has its size and loads after its handlers are set`() throws {
        let run = try PageRun([
            "app.html": """
            <img id="one" src="one.gif" onload="console.log('one', this.width, this.height)">
            <img src="none.gif" onerror="console.log('none', this.naturalWidth, this.complete)">
            <img src="http://example.org/x.png" onerror="console.log('elsewhere')">
            <script>
            console.log(one.currentSrc);
            const image = new Image(16);
            image.onload = () => {
              console.log("two", image.width, image.height, image.naturalWidth, image.naturalHeight);
              image.onload = () => console.log("again", image.naturalWidth);
              image.src = "one.gif";
            };
            image.src = "two.svg";
            document.body.insertAdjacentHTML("beforeend", "<p><img src='one.gif' onload='heard()'></p>");
            function heard() { console.log("later", document.images.length); }
            one.decode().then(() => console.log("decoded"));
            </script>
            """, "one.gif": Self.gif, "two.svg": Self.svg,
        ])
        #expect(run.errors.isEmpty)
        #expect(
            Set(run.lines) == [
                "http://my-app.localhost/one.gif", "one 8 4", "none 0 true", "elsewhere",
                "two 16 200 300 200", "again 8", "later 4",
                "decoded",
            ])
        // No request is sent to another server.
        #expect(!run.calls.contains { $0.contains("example.org") })
    }

    /// Images of 3 by 5 written by Chromium, and its sizes of the others.
    private static let images = [
        (
            "image/png;base64",
            "iVBORw0KGgoAAAANSUhEUgAAAAMAAAAFCAYAAACAcVaiAAAAHklEQVR4AYzHsQkAAADCsOL/"
                + "P+skOFroEBncxXQiAAAA//91rzjPAAAABklEQVQDAF93BgVSgllGAAAAAElFTkSuQmCC",
            "3 5"
        ),
        ("image/gif;base64", "R0lGODlhAwAFAIAAAAAAAAAAACwAAAAAAwAFAAACA4SPBQA7", "3 5"),
        (
            "image/jpeg;base64",
            "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9"
                + "PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/2wBDARESEhgVGC8aGi9jQjhC"
                + "Y2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P/wAAR"
                + "CAAFAAMDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAX/xAAUEAEAAAAAAAAAAAAA"
                + "AAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAABQb/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oA"
                + "DAMBAAIRAxEAPwCKALXj/9k=",
            "3 5"
        ),
        (
            "image/webp;base64",
            "UklGRjgAAABXRUJQVlA4ICwAAACQAQCdASoDAAUAAsBMJaACdLoAA5gA/u5DH+5sc4twV/9t"
                + "D/9aH/60P+lAAA==",
            "3 5"
        ),
        ("image/webp;base64", "UklGRhwAAABXRUJQVlA4TA8AAAAvAgABAAcQ/Y/+ByKi/wEA", "3 5"),
        (
            "image/webp;base64",
            "UklGRkoAAABXRUJQVlA4WAoAAAAAAAAAAgAABAAAVlA4ICwAAACQAQCdASoDAAUAAsBMJaAC"
                + "dLoAA5gA/u5DH+5sc4twV/9tD/9aH/60P+lAAA==",
            "3 5"
        ),
        (
            "image/svg+xml",
            "%3Csvg%20xmlns%3D%27http%3A%2F%2Fwww.w3.org%2F2000%2Fsvg%27%20viewBox%3D"
                + "%270%200%203%205%27%2F%3E",
            "90 150"
        ),
        (
            "image/svg+xml",
            "%3Csvg%20xmlns%3D%27http%3A%2F%2Fwww.w3.org%2F2000%2Fsvg%27%20viewBox%3D"
                + "%270%200%208%202%27%2F%3E",
            "300 75"
        ),
        (
            "image/svg+xml",
            "%3Csvg%20xmlns%3D%27http%3A%2F%2Fwww.w3.org%2F2000%2Fsvg%27%20width%3D%2"
                + "73%27%20viewBox%3D%270%200%203%205%27%2F%3E",
            "3 5"
        ),
        (
            "image/svg+xml",
            "%3Csvg%20xmlns%3D%27http%3A%2F%2Fwww.w3.org%2F2000%2Fsvg%27%20height%3D%"
                + "2710%27%20viewBox%3D%270%200%203%205%27%2F%3E",
            "6 10"
        ),
        (
            "image/svg+xml",
            "%3Csvg%20xmlns%3D%27http%3A%2F%2Fwww.w3.org%2F2000%2Fsvg%27%20width%3D%2"
                + "73px%27%20height%3D%274%27%2F%3E",
            "3 4"
        ),
        (
            "image/svg+xml",
            "%3Csvg%20xmlns%3D%27http%3A%2F%2Fwww.w3.org%2F2000%2Fsvg%27%2F%3E",
            "300 150"
        ),
        ("image/png;base64", "iVBORw0KGgo=", "error"),
        ("image/png;base64", "%%%", "error"),
        ("text/plain", "nothing", "error"),
        ("image/png", "", "error"),
    ]

    @Test(arguments: images)
    func `the size is parsed from the bytes`(type: String, data: String, shown: String) throws {
        let run = try PageRun([
            "app.html": """
            <script>
            const image = new Image();
            image.onload = () => console.log(image.width, image.height);
            image.onerror = () => console.log("error");
            image.src = "data:\(type),\(data)";
            </script>
            """
        ])
        #expect(run.lines == [shown])
    }

    @Test func `a source that is changed before it was loaded is ignored`() throws {
        let run = try PageRun([
            "app.html": """
            <script>
            const image = new Image();
            image.onload = () => console.log("load", image.src.slice(-7));
            image.onerror = () => console.log("error");
            image.src = "none.gif";
            image.src = "one.gif";
            const gone = new Image();
            gone.onload = gone.onerror = () => console.log("never");
            gone.src = "one.gif";
            gone.removeAttribute("src");
            new DOMParser().parseFromString("<img src=other.gif>", "text/html");
            </script>
            """, "one.gif": Self.gif,
        ])
        #expect(run.lines == ["load one.gif"])
        #expect(!run.calls.contains { $0.contains("other.gif") })
    }
}

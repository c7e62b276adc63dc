import TestSupport
import Testing

/// Style sheets as objects, styles of elements, and computed styles.
@Suite(.blocking)
struct StyleSheetTests {
    private static let page = """
        <!DOCTYPE html><style>p { margin: 0; color: #f00 }
        @media (min-width: 100px) { b { --gap: 3px; padding: calc(var(--gap) * 2) } }
        @media print { b { color: blue } }</style><link rel="stylesheet" href="more.css">
        <p><b id="b" class="b">x</b></p><div style="width: 200px; font-size: 20px"><i>y</i></div>
        """

    private func lines(_ script: String) throws -> [String] {
        let start = """
            const find = (selector) => document.querySelector(selector);
            const sheet = find("style").sheet, b = find("b"), i = find("i");
            const computed = (element, name) => getComputedStyle(element).getPropertyValue(name);
            const written = (text) => { i.style.cssText = text; return i.style.cssText; };
            const thrown = (body) => {
                try { body(); } catch (error) { return error.name; }
            };
            """
        let run = try PageRun(
            [
                "app.html": "\(Self.page)<script>\(start)\(script)</script>",
                "more.css": "p { order: 2 }",
            ])
        #expect(run.errors.isEmpty)
        return run.lines
    }

    @Test(arguments: [
        ("sheet.cssRules[0].cssText", "p { margin: 0px; color: rgb(255, 0, 0); }"),
        ("[...document.styleSheets].map((one) => one.cssRules.length)", "[ 3, 1 ]"),
        ("document.styleSheets[1].ownerNode === find('link')", "true"),
        ("sheet.cssRules[1].conditionText", "(min-width: 100px)"),
        ("sheet.cssRules[1] instanceof CSSMediaRule", "true"),
        (
            "sheet.insertRule('a > b,\\n i::before { order: 1; nothing: 2 }') + sheet.cssRules[0].cssText",
            "0a > b, i::before { order: 1; }"
        ),
        ("thrown(() => sheet.insertRule('p {', 9))", "IndexSizeError"),
        ("thrown(() => sheet.insertRule('!!! { }'))", "SyntaxError"),
        ("thrown(() => sheet.insertRule('@import \"a.css\";', 1))", "HierarchyRequestError"),
        ("thrown(() => sheet.deleteRule(3))", "IndexSizeError"),
        ("[find('style').remove(), sheet.ownerNode, document.styleSheets.length].join()", ",,1"),
        ("new CSSStyleSheet().insertRule('b { top: 1px }')", "0"),
        ("CSS.supports('display', 'grid')", "true"),
        ("CSS.supports('(width: 1px) and (not (color: 5px))')", "true"),
    ])
    func `style sheets are objects`(script: String, expected: String) throws {
        #expect(try lines("console.log(\(script));") == [expected])
    }

    @Test(arguments: [
        ("border: 1px solid #fff", "border: 1px solid rgb(255, 255, 255);"),
        ("margin: 1px 2px; margin-left: nothing", "margin: 1px 2px;"),
        ("color: rgb(0 128 0 / 50%); width: 5", "color: rgba(0, 128, 0, 0.5);"),
        ("flex: 2 2", "flex: 2 2 0%;"),
        (
            "background: red; background-clip: content-box",
            "background: padding-box content-box red;"
        ),
        ("width: min(180px, calc(80vw - 24px))", "width: min(180px, -24px + 80vw);"),
        ("font: italic bold 12px/1.5 Arial, 'A B'", "font: italic bold 12px / 1.5 Arial, \"A B\";"),
        ("border: 1px solid var(--c)", "border: 1px solid var(--c);"),
        ("color: red !important; color: blue", "color: red !important;"),
        ("overflow: hidden; overflow-x: inherit", "overflow-y: hidden; overflow-x: inherit;"),
    ])
    func `declarations are checked, expanded and shortened`(text: String, expected: String) throws {
        #expect(try lines("console.log(written(\"\(text)\"));") == [expected])
    }

    @Test func `computed styles follow the cascade, inheritance and custom properties`() throws {
        let found = try lines(
            """
            const own = ["color", "padding", "font-weight", "order"].map((name) => computed(b, name));
            console.log(own.join(" "));
            console.log(computed(find("p"), "margin-top"), computed(find("p"), "order"), computed(find("p"), "display"));
            i.style.cssText = "width: 50%; margin-left: calc(100% - 1em); line-height: 2";
            i.style.cssText += "--gap: var(--gap); left: var(--gap, 7px)";
            const names = ["width", "margin-left", "line-height", "left", "font-size"];
            console.log(names.map((name) => computed(i, name)).join(" "));
            console.log(thrown(() => { getComputedStyle(b).color = "red"; }), getComputedStyle(b).paddingTop);
            """)
        #expect(
            found == [
                "rgb(255, 0, 0) 6px 700 0", "0px 2 block", "100px 180px 40px 7px 20px",
                "NoModificationAllowedError 6px",
            ])
    }

    @Test
    func `changes of a style sheet by a script have an effect on computed styles and visible text`()
        throws
    {
        let found = try lines(
            """
            sheet.insertRule("#b { color: lime !important; display: none }", 3);
            b.style.color = "blue";
            console.log(computed(b, "color"), document.body.innerText.includes("x"), b.getClientRects().length);
            sheet.cssRules[3].style.removeProperty("display");
            console.log(document.body.innerText.includes("x"));
            sheet.disabled = true;
            console.log(computed(b, "color"), computed(find("p"), "margin-top"));
            """)
        #expect(found == ["rgb(0, 255, 0) false 0", "true", "rgb(0, 0, 255) 16px"])
    }

    @Test func `layers, nesting and specificity decide in this order`() throws {
        let found = try lines(
            """
            const style = document.createElement("style");
            style.textContent = "@layer one, two; @layer two { #b.b { top: 1px } }"
                + "@layer one { b { top: 2px; left: 1px !important } }"
                + "p { & .b { right: 3px } > b { right: 4px } } b { left: 9px !important }";
            document.head.append(style);
            console.log(["top", "left", "right"].map((name) => computed(b, name)).join(" "));
            style.sheet.insertRule("b { top: 5px }", 5);
            console.log(computed(b, "top"));
            """)
        #expect(found == ["1px 1px 3px", "5px"])
    }
}

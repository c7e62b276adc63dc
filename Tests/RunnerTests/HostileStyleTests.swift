import TestSupport
import Testing

/// Style sheets and selectors that would take endless work if it were not bounded.
///
/// Without bounds, each run was ended at the limit of its turn or of its memory.
@Suite(.blocking)
struct HostileStyleTests {
    /// A script with `sheet(text)`, which applies a style sheet and returns the color of the body, and what it returns.
    private static let sheets = #"""
        return sheet("a { ".repeat(120)); ~~> rgb(0, 0, 0)
        return sheet("a { ".repeat(5000)); ~~> rgb(0, 0, 0)
        return sheet("a" + "{ & & &".repeat(40) + "{ color: red }" + "}".repeat(40)); ~~> rgb(0, 0, 0)
        return sheet("a, b" + "{ & a, & b, & c ".repeat(40) + "{ color: red }" + "}".repeat(40)); ~~> rgb(0, 0, 0)
        return sheet("@media all { ".repeat(2000) + "body { color: red }"); ~~> rgb(0, 0, 0)
        return sheet("@media all { ".repeat(20) + "body { color: red }"); ~~> rgb(255, 0, 0)
        return sheet("@supports (color: red) { ".repeat(2000) + "body { display: none }"); ~~> rgb(0, 0, 0)
        return sheet(`@supports ${"(".repeat(5000)}color: red${")".repeat(5000)} { body { color: red } }`); ~~> rgb(0, 0, 0)
        return sheet(`body { color: ${"(".repeat(20000)}`); ~~> rgb(0, 0, 0)
        return sheet(`body { width: calc(${"(".repeat(5000)}1px${")".repeat(5000)}); color: red }`); ~~> rgb(255, 0, 0)
        return sheet(`body { ${chain(40, (at) => `--b${at}: var(--b${at - 1}) var(--b${at - 1})`)} --b0: x; color: var(--b40) }`); ~~> rgb(0, 0, 0)
        return sheet(`body { ${chain(40, (at) => `--b${at}: var(--b${at - 1}) var(--b${at - 1})`)} --b0: var(--b40); color: var(--b40) }`); ~~> rgb(0, 0, 0)
        return sheet(`body { ${chain(1000, (at) => `--b${at}: var(--b${at - 1})`)} --b0: red; color: var(--b1000) }`); ~~> rgb(0, 0, 0)
        return sheet(`body { ${chain(50, (at) => `--b${at}: var(--b${at - 1})`)} --b0: red; color: var(--b50) }`); ~~> rgb(255, 0, 0)
        return sheet("/* ".repeat(20000) + "*/ body { color: red }"); ~~> rgb(255, 0, 0)
        return sheet(`a { content: "${"x\\\n".repeat(20000)}`); ~~> rgb(0, 0, 0)
        return sheet("\"a'".repeat(10000)); ~~> rgb(0, 0, 0)
        return sheet(`${".a,".repeat(3000)}body { color: red }`); ~~> rgb(255, 0, 0)
        return sheet(".a .b > c { color: blue; margin: 1px 2px } ".repeat(1500) + "body { color: red }"); ~~> rgb(255, 0, 0)
        return sheet(`body { ${"color: (; ".repeat(3000)} color: red }`); ~~> rgb(0, 0, 0)
        """#

    private static let selectors = #"""
        return count(`${":not(".repeat(5000)}a`); ~~> SyntaxError
        return count(`${":has(".repeat(5000)}a`); ~~> SyntaxError
        return count(`${":nth-child(1 of ".repeat(5000)}a`); ~~> SyntaxError
        return count(":is(".repeat(5000) + "a" + ")".repeat(5000)); ~~> 0
        return count(":not(".repeat(20) + "main" + ")".repeat(20)); ~~> 1
        return count("[".repeat(50000)); ~~> SyntaxError
        return count("/* ".repeat(20000)); ~~> SyntaxError
        return count("[a=" + "\"a'".repeat(10000)); ~~> SyntaxError
        return count(`#${"\\61 ".repeat(20000)}`); ~~> 0
        return count(`main${".b".repeat(10000)}`); ~~> 0
        return count(`${"div ".repeat(5000)}div`); ~~> 0
        main.innerHTML = "<div>".repeat(300); return count(`${"div ".repeat(60)}b, ${"div > div ".repeat(40)}x`); ~~> 0
        main.innerHTML = "<p></p>".repeat(2000); return count(`${"p ~ ".repeat(20)}b, p + p ~ p ~ p:not(:has(~ b)) ~ p`); ~~> 1996
        main.innerHTML = "<p><i></i></p>".repeat(500); return count("p:has(i):not(:has(b)) ~ p:nth-last-child(odd of p:has(i))"); ~~> 250
        """#

    @Test(arguments: table(sheets))
    func `the work for a style sheet is bounded`(script: String, value: String) throws {
        #expect(try lines(script) == [value])
    }

    @Test(arguments: table(selectors))
    func `the work for a selector is bounded`(script: String, value: String) throws {
        #expect(try lines(script) == [value])
    }

    private func lines(_ script: String) throws -> [String] {
        let start = """
            const main = document.querySelector("main");
            const chain = (size, one) => Array.from({ length: size }, (_, at) => `${one(at + 1)};`).join(" ");
            const sheet = (text) => {
                const style = document.createElement("style");
                style.textContent = text;
                document.head.append(style);
                document.body.innerText;
                return getComputedStyle(document.body).color;
            };
            const count = (selector) => {
                try { return document.querySelectorAll(selector).length; } catch (error) { return error.name; }
            };
            """
        let whole = "\(start)console.log(String((() => { \(script) })()))"
        let run = try PageRun([
            "app.html": "<!DOCTYPE html><head></head><main></main><script>\(whole)</script>"
        ])
        #expect(run.run.end == .exit(0))
        return run.lines
    }
}

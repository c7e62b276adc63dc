import Foundation
import TestSupport
import Testing

/// Ordinary operations on pages of some thousand nodes.
///
/// Each run was ended when the work for it grew with the square of the number of nodes, or faster.
@Suite(.blocking)
struct DocumentWorkTests {
    /// A script, which fills the element `main`, and what it returns.
    private static let operations = #"""
        fill(4000, () => "<p>x</p>"); let sum = 0; for (let at = 0; at < main.children.length; at++) sum += main.children[at].nodeType; return sum; ~~> 4000
        fill(4000, () => "<p>x</p>"); for (let at = 0; at < main.children.length; at++) main.children[at].textContent = at; return main.lastChild.textContent; ~~> 3999
        fill(2000, () => "<p>x</p>"); const list = main.getElementsByTagName("p"); for (let at = 0; at < list.length; at++) list[at].textContent = at; return list.length; ~~> 2000
        main.innerHTML = "<table></table>"; for (let at = 0; at < 3000; at++) main.firstChild.insertRow().insertCell().textContent = at; return main.firstChild.rows.length; ~~> 3000
        main.innerHTML = `<table>${"<tr><td>1<td>2".repeat(2000)}</table>`; const table = main.firstChild; let count = 0; for (let at = 0; at < table.rows.length; at++) for (let cell = 0; cell < table.rows[at].cells.length; cell++) count++; return count; ~~> 4000
        main.innerHTML = "<select></select>"; const select = main.firstChild; for (let at = 0; at < 500; at++) select.add(new Option(at, at)); return [...select.options].filter((option) => option.selected).length; ~~> 1
        main.innerHTML = `<form>${"<input name=a>".repeat(1000)}</form>`; const form = main.firstChild; let count = 0; for (let at = 0; at < form.elements.length; at++) { form.elements[at].value = at; count++; } return count + [...new FormData(form)].length; ~~> 2000
        fill(500, (at) => `<label for=i${at}>x</label><input id=i${at}>`); let count = 0; for (const input of main.querySelectorAll("input")) count += input.labels.length; return count; ~~> 500
        fill(1000, (at) => `<input type=radio name=r${at % 500} checked>`); for (const radio of main.querySelectorAll("input")) radio.checked = true; return main.querySelectorAll(":checked").length; ~~> 500
        fill(5000, () => "<li>x</li>"); return ["li:nth-child(2n)", "li:nth-last-child(2n of li)", "li:nth-of-type(5n)", "li:first-of-type", "h2 ~ li"].map((selector) => main.querySelectorAll(selector).length).join(); ~~> 2500,2500,1000,1,0
        fill(3000, () => "<i></i>"); return ["i:has(+ .x)", "i:has(~ .x)", "i:has(> .x)"].map((selector) => main.querySelectorAll(selector).length).join(); ~~> 0,0,0
        main.innerHTML = "<div>".repeat(60) + "<span>"; return main.querySelectorAll("p div div div div div div div span").length; ~~> 0
        fill(1500, () => "<li>x</li>"); let size = 0; for (const item of main.querySelectorAll("li")) size += item.innerText.length; return size; ~~> 1500
        main.innerHTML = `<style>${Array.from({ length: 600 }, (_, at) => `.c${at} > b { display: none }`).join("")}</style>` + Array.from({ length: 200 }, (_, at) => `<p class=c${at}><b>x</b>y</p>`).join(""); return main.innerText.replace(/\s/g, "").length; ~~> 200
        return new DOMParser().parseFromString(`<!DOCTYPE a [${"<!---->".repeat(6000)}`, "text/xml").documentElement.localName; ~~> parsererror
        let count = 0; for (let at = 0; at < 6000; at++) main.addEventListener("x", () => { count++; }, { once: true }); main.dispatchEvent(new Event("x")); return count; ~~> 6000
        """#

    @Test(arguments: table(operations))
    func `work grows with the number of nodes`(script: String, value: String) throws {
        let start = """
            const main = document.querySelector("main");
            const fill = (count, html) => { main.innerHTML = Array.from({ length: count }, (_, at) => html(at)).join(""); };
            """
        let script = "\(start)console.log(String((() => { \(script) })()))"
        let page = "<!DOCTYPE html><main></main><script>\(script)</script>"
        let run = try PageRun(["app.html": page])
        #expect(run.run.end == .exit(0))
        #expect(run.lines == [value])
    }

    @Test func `signals and observers that nobody can use any more are not kept`() throws {
        let run = try PageRun([
            "app.html": """
            <!DOCTYPE html><body><script>
            const { signal } = new AbortController(), target = new EventTarget();
            let rounds = 0;
            function round() {
                for (let at = 0; at < 4000; at++) {
                    AbortSignal.any([signal]);
                    const listener = () => {};
                    target.addEventListener("x", listener, { signal });
                    target.removeEventListener("x", listener);
                }
                for (let at = 0; at < 400; at++) {
                    const element = document.createElement("p");
                    element.textContent = "x".repeat(1000) + at;
                    new MutationObserver(() => {}).observe(element, { childList: true });
                }
                if (++rounds < 60) setTimeout(round, 0);
                else console.log("end");
            }
            round();
            </script>
            """
        ])
        #expect(run.lines == ["end"])
        #expect(run.run.peak < 150 << 20, "peak \(run.run.peak >> 20) MiB")
    }
}

/// The pairs in the lines of a text, whose parts are separated by an arrow.
func table(_ text: String) -> [(String, String)] {
    text.split(separator: "\n").map { line in
        let parts = line.components(separatedBy: " ~~> ")
        return (parts[0].trimmingCharacters(in: .whitespaces), parts[1])
    }
}

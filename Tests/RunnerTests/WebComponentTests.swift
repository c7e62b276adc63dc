import TestSupport
import Testing

/// Shadow trees, custom elements, and the documents of frames.
@Suite(.blocking)
struct WebComponentTests {
    private static let page = """
        <!DOCTYPE html><main><div id="host"><b slot="a">light</b> rest</div></main>
        <div id="declared"><template shadowrootmode="open"><style>p { display: block } .no { display: none }</style><p>shadow <i class="no">hidden</i></p><slot></slot></template>child</div>
        <iframe src="frame.html#here" name="inner"></iframe><svg viewBox="1 2 3 4"><g class="x y" systemLanguage="en, de"><a href="#1"/></g></svg>
        """

    private static let trees = #"""
        const root = shadow("<slot name=a></slot>"); return [root instanceof ShadowRoot, root.host === host, host.shadowRoot === root, root.isConnected, host.firstChild.assignedSlot === root.firstChild]; ~~> true,true,true,true,true
        shadow("<p>x</p>", "closed"); return [host.shadowRoot, document.querySelector("p"), thrown(() => host.attachShadow({ mode: "open" }))]; ~~> ,,NotSupportedError
        return [thrown(() => document.createElement("a").attachShadow({ mode: "open" })), thrown(() => host.attachShadow({ mode: "x" })), thrown(() => new ShadowRoot())]; ~~> NotSupportedError,TypeError,TypeError
        const root = shadow("<h1>head</h1><slot name=a></slot><slot></slot>"); return document.querySelector("main").innerText; ~~> head\nlight rest
        return document.querySelector("#declared").innerText; ~~> shadow\n\nchild
        const root = shadow("<style>:host { display: none }</style>"); return [getComputedStyle(host).display, document.querySelector("main").innerText]; ~~> none,
        const root = shadow("<p>x</p>"), sheet = new CSSStyleSheet(); sheet.replaceSync("p { color: red }"); root.adoptedStyleSheets = [sheet]; return getComputedStyle(root.firstChild).color; ~~> rgb(255, 0, 0)
        document.head.append(Object.assign(document.createElement("style"), { textContent: "p { color: red } div { color: blue }" })); const root = shadow("<p>x</p>"); return getComputedStyle(root.firstChild).color; ~~> rgb(0, 0, 255)
        const root = shadow("<p><b>x</b></p>"), seen = []; for (const at of [root, host, window]) at.addEventListener("click", (event) => seen.push(event.target.localName, event.composedPath().length)); root.querySelector("b").click(); return seen; ~~> b,9,div,9,div,9
        const root = shadow("<p><b>x</b></p>", "closed"), seen = []; host.addEventListener("click", (event) => seen.push(event.target.localName, event.composedPath().length)); root.querySelector("b").click(); return seen; ~~> div,6
        const root = shadow("<b>x</b>"), seen = []; host.addEventListener("x", () => seen.push("host")); root.firstChild.dispatchEvent(new Event("x", { bubbles: true })); root.firstChild.dispatchEvent(new Event("x", { bubbles: true, composed: true })); return seen; ~~> host
        host.setHTMLUnsafe("<p><template shadowrootmode=open shadowrootserializable><i>in</i><slot></slot></template>out</p>"); return [host.innerText, host.getHTML({ serializableShadowRoots: true }), host.getHTML()]; ~~> inout,<p><template shadowrootmode="open" shadowrootserializable=""><i>in</i><slot></slot></template>out</p>,<p>out</p>
        const root = shadow("<input>"); root.firstChild.focus(); return [document.activeElement === host, root.activeElement === root.firstChild]; ~~> true,true
        const root = shadow("<p>x</p>"); return [root.querySelector("p").getRootNode() === root, root.firstChild.getRootNode({ composed: true }) === document, root.getElementById("x"), root.querySelector(":host > p").localName]; ~~> true,true,,p
        """#

    private static let elements = #"""
        define(); host.innerHTML = "<my-part a=1></my-part>"; host.firstChild.setAttribute("a", 2); host.firstChild.remove(); return log; ~~> new,a null 1,in,a 1 2,out
        host.innerHTML = "<my-part a=1></my-part>"; define(); return [log, host.firstChild instanceof customElements.get("my-part"), host.firstChild.matches(":defined")]; ~~> new,a null 1,in,true,true
        define(); const part = document.createElement("my-part"); host.append(part); document.querySelector("main").append(part); return log; ~~> new,in,out,in
        define(); const template = document.createElement("template"); template.innerHTML = "<my-part a=1></my-part>"; const before = log.length; host.append(document.importNode(template.content, true)); return [before, log]; ~~> 0,new,a null 1,in
        define(); const part = document.createElement("my-part").cloneNode(); return [log, part.constructor.name]; ~~> new,new,Part
        define(); const Part = customElements.get("my-part"); return [new Part().localName, customElements.getName(Part), thrown(() => customElements.define("my-part", class extends HTMLElement {})), thrown(() => customElements.define("x", class extends HTMLElement {})), thrown(() => new (class extends HTMLElement {})())]; ~~> my-part,my-part,NotSupportedError,SyntaxError,TypeError
        class Big extends HTMLParagraphElement { connectedCallback() { log.push("big"); } } customElements.define("big-p", Big, { extends: "p" }); host.innerHTML = ""; host.append(document.createElement("p", { is: "big-p" })); return [log, host.firstChild.localName]; ~~> big,p
        customElements.define("bad-part", class extends HTMLElement { constructor() { super(); throw new Error("no"); } }); addEventListener("error", (event) => { event.preventDefault(); log.push(event.message); }); return [document.createElement("bad-part") instanceof HTMLUnknownElement, log]; ~~> true,Error: no
        class Field extends HTMLElement { static formAssociated = true; #inner = this.attachInternals(); get inner() { return this.#inner; } } customElements.define("my-field", Field); host.innerHTML = "<form><label><my-field></my-field></label></form>"; const { inner } = host.querySelector("my-field"); inner.setValidity({ customError: true }, "bad"); return [inner.form === host.firstChild, inner.labels.length, inner.checkValidity(), inner.validationMessage]; ~~> true,1,false,bad
        const part = document.createElement("no-part"); return [part.constructor.name, part.matches(":defined"), document.createElement("nopart").constructor.name]; ~~> HTMLElement,false,HTMLUnknownElement
        """#

    private static let frames = #"""
        const { contentWindow: view, contentDocument: inside } = document.querySelector("iframe"); return [inside.title, frames.length, frames[0] === view, view.parent === window, view.location.hash, inside.querySelector(":target").id, inside.defaultView === view]; ~~> Inner,1,true,true,#here,here,true
        const frame = document.querySelector("iframe"); frame.remove(); return [frame.contentWindow, frame.contentDocument, frames.length]; ~~> ,,0
        const frame = document.createElement("iframe"); frame.srcdoc = "<b>x</b>"; host.append(frame); return [frame.contentDocument.body.innerHTML, frame.contentDocument.URL]; ~~> <b>x</b>,about:srcdoc
        const frame = document.createElement("iframe"); frame.src = "http://elsewhere.example/"; host.append(frame); return [frame.contentDocument, typeof frame.contentWindow]; ~~> ,object
        return typeof scripted; ~~> undefined
        """#

    private static let drawings = #"""
        const svg = document.querySelector("svg"), g = svg.querySelector("g"); return [g instanceof SVGGElement, g instanceof SVGGraphicsElement, g.ownerSVGElement === svg, g.className.baseVal, svg.viewBox.baseVal.width, [...g.systemLanguage], g.firstChild.href.baseVal]; ~~> true,true,true,x y,3,en,de,#1
        const g = document.querySelector("g"); g.systemLanguage.appendItem("fr"); g.className.baseVal = "z"; return [g.getAttribute("systemLanguage"), g.getAttribute("class"), thrown(() => g.systemLanguage.getItem(9))]; ~~> en, de, fr,z,IndexSizeError
        host.ariaLabel = "name"; host.role = "button"; return [host.getAttribute("aria-label"), host.role, host.ariaChecked]; ~~> name,button,
        """#

    @Test(arguments: table(trees))
    func `shadow trees`(script: String, value: String) throws {
        #expect(try result(script) == value)
    }

    @Test(arguments: table(elements))
    func `custom elements`(script: String, value: String) throws {
        #expect(try result(script) == value)
    }

    @Test(arguments: table(frames))
    func `documents of frames`(script: String, value: String) throws {
        #expect(try result(script) == value)
    }

    @Test(arguments: table(drawings))
    func `elements of SVG and members of ARIA`(script: String, value: String) throws {
        #expect(try result(script) == value)
    }

    @Test func `slots, linked sheets and frames report their changes`() throws {
        let run = try run(
            """
            const root = shadow("<slot name=a></slot><slot></slot>");
            root.addEventListener("slotchange", (event) => console.log(event.target.name || "rest"));
            host.prepend(Object.assign(document.createElement("u"), { slot: "a" }));
            const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "a.css" });
            sheet.onload = () => console.log("sheet", getComputedStyle(document.body).order);
            document.head.append(sheet);
            console.log("before", getComputedStyle(document.body).order);
            const missing = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "b.css" });
            missing.onerror = () => console.log("missing");
            document.head.append(missing);
            document.querySelector("iframe").onload = () => console.log("frame");
            onload = () => console.log("window");
            """)
        #expect(run.errors.isEmpty)
        #expect(
            Set(run.lines) == ["before 0", "rest", "a", "sheet 3", "missing", "frame", "window"])
        #expect(run.lines.first == "before 0" && run.lines.last == "window")
    }

    @Test func `animations and transitions have their events, also under older names`() throws {
        let run = try run(
            """
            const sheet = new CSSStyleSheet();
            sheet.replaceSync(`b { opacity: 1; transition: opacity 20ms } b.off { opacity: 0 }
                @keyframes a { }`);
            document.adoptedStyleSheets = [sheet];
            const types = ["animationstart", "animationiteration", "animationend"];
            types.push("transitionstart", "transitionend");
            for (const type of types) {
                addEventListener(type, (event) => console.log(
                    type, event.target.localName, event.animationName ?? event.propertyName, event.elapsedTime));
            }
            const b = host.querySelector("b");
            b.onwebkittransitionend = (event) => console.log(event.type);
            host.style.animation = "a 10ms 2";
            setTimeout(() => b.classList.add("off"), 200);
            """)
        #expect(
            run.lines == [
                "animationstart div a 0", "animationiteration div a 0.01",
                "animationend div a 0.02", "transitionstart b opacity 0", "webkitTransitionEnd",
                "transitionend b opacity 0.02",
            ])
    }

    private func result(_ script: String) throws -> String {
        let run = try run(
            "console.log(String((() => { \(script) })()).replaceAll('\\n', '\\\\n'));")
        #expect(run.run.end == .exit(0))
        return run.lines.joined(separator: "|")
    }

    private func run(_ script: String) throws -> PageRun {
        let start = #"""
            const host = document.querySelector("#host"), log = [];
            const shadow = (markup, mode = "open") => {
                const root = host.attachShadow({ mode });
                root.innerHTML = markup;
                return root;
            };
            const thrown = (body) => {
                try { body(); } catch (error) { return error.name; }
            };
            const define = () => customElements.define("my-part", class Part extends HTMLElement {
                static observedAttributes = ["a"];
                constructor() {
                    super();
                    log.push("new");
                }
                connectedCallback() { log.push("in"); }
                disconnectedCallback() { log.push("out"); }
                attributeChangedCallback(name, before, after) { log.push(`${name} ${before} ${after}`); }
            });
            """#
        return try PageRun([
            "app.html": "\(Self.page)<script>\(start)\(script)</script>",
            "a.css": "body { order: 3 }",
            "frame.html": "<title>Inner</title><p id=here><script>parent.scripted = 1</script>",
        ])
    }
}

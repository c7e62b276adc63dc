import TestSupport
import Testing

/// What the standards say of documents and their events, in places where pages rely on it.
@Suite(.blocking)
struct StandardDocumentTests {
    private static let page = """
        <!DOCTYPE html><body><template><p>1</p></template><div><b>x</b><b>y</b></div>
        <form><input type="checkbox" class="check"><input type="radio" name="r" class="one">
        <input type="radio" name="r" class="two" checked><input type="email" required value="a@b.c">
        <textarea>hello</textarea><button name="go">go</button></form><input type="radio" class="lone">
        """

    @Test(arguments: [
        ("document.querySelector('nope') === null", "true"),
        ("find('div').querySelector('nope') === null", "true"),
        ("find('div').querySelectorAll(':scope > b').length", "2"),
        ("document.querySelectorAll(':is(b, i):not(:first-child), :has(> b)').length", "2"),
        ("document.querySelectorAll('b:nth-last-child(2n of b)').length", "1"),
        ("thrown(() => document.querySelector('!!'))", "DOMException SyntaxError"),
        ("thrown(() => document.createElement('1'))", "DOMException InvalidCharacterError"),
        ("find('template').content.firstElementChild.cloneNode(true).outerHTML", "<p>1</p>"),
        ("[find('template').content.children.length, document.childElementCount].join()", "1,1"),
        ("Object.prototype.toString.call(find('div'))", "[object HTMLDivElement]"),
        ("Object.prototype.toString.call(document)", "[object HTMLDocument]"),
        ("thrown(() => new HTMLDivElement())", "TypeError TypeError"),
        ("new Text('x') instanceof CharacterData", "true"),
        (
            "Object.assign(document.createElement('a'), { href: 'HTTP://ü.example:80/a/../b?q#h' }).href",
            "http://xn--tda.example/b?q#h"
        ),
        (
            "Object.assign(document.createElement('a'), { href: '//x', hash: 'top' }).getAttribute('href')",
            "http://x/#top"
        ),
        ("document.createElement('area').protocol + document.createElement('a').href", ":"),
        ("find('.check').value + find('.check').type", "oncheckbox"),
    ])
    func `members of nodes`(expression: String, value: String) throws {
        #expect(try lines("console.log(String(\(expression)));") == [value])
    }

    private static let results = #"""
        Object.assign(document.createElement('a'), { href: 'HTTP://ü.example:80/a/../b?q#h' }).href ~~> http://xn--tda.example/b?q#h
        Object.assign(document.createElement('a'), { href: '//x', hash: 'top', port: 81 }).getAttribute('href') ~~> http://x:81/#top
        [document.createElement('area').protocol, document.createElement('a').href].join() ~~> :,
        (() => { const { options } = select('ab'); options[options.length] = new Option('c'); options[0] = null; return `${options.length}${options[0].text}${options.selectedIndex}`; })() ~~> 2b0
        (() => { const list = select('ab'); list[1] = new Option('c'); list[3] = new Option('d'); return [list.length, list[1].text, list[3].text].join(); })() ~~> 4,c,d
        (() => { const list = select('ab'); list.selectedIndex = -1; const before = list.value; list.add(new Option('x')); return [before, list.value].join(); })() ~~> ,a
        (() => { const list = document.body.appendChild(select('ab')); list.remove(); return list.isConnected; })() ~~> false
        [find('form').children instanceof HTMLCollection, find('.check').labels instanceof NodeList, find('form').elements instanceof HTMLFormControlsCollection, select('a').options instanceof HTMLOptionsCollection].join() ~~> true,true,true,true
        (() => { let count = 0; document.getElementsByName('r').forEach(() => count++); find('form').elements.r.forEach(() => count++); return count; })() ~~> 4
        (() => { const { elements } = find('form'); elements.r.value = 'on'; return [elements.r.value, elements.r[0].checked, elements.r[1].checked].join(); })() ~~> on,true,false
        [...document.getElementsByTagName('B')].map((one) => one.localName).join() ~~> b,b
        (() => { const list = document.getElementsByClassName('new'); find('div').className = 'new'; return [list.length, list.item(5), list[0] === find('div')].join(); })() ~~> 1,,true
        (() => { find('form').name = 'login'; return document.forms.login === find('form') && document.forms.namedItem('x') === null; })() ~~> true
        (() => { find('b').id = '1 a'; return find('#\\31 \\20 a') === find(`#${CSS.escape('1 a')}`) && CSS.escape('-0.b'); })() ~~> -\30 \.b
        (() => { const option = new Option('a', 'b', true, true); return [option instanceof Option, option.defaultSelected, option.selected, new Image() instanceof HTMLImageElement].join(); })() ~~> true,true,true,true
        (() => { find('b').style.cssText = 'color: red; top: 0'; return [...find('b').style].join(); })() ~~> color,top
        (() => { find('div').innerHTML = '<input type=radio name=q checked><input type=radio name=q checked>'; return [...find('div').children].map((one) => one.checked).join(); })() ~~> false,true
        (() => { URL = null; return Object.assign(document.createElement('input'), { type: 'url', value: 'x' }).validity.typeMismatch; })() ~~> true
        (() => { const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg'); svg.innerHTML = '<g/><path d="M0 0"/>'; return svg.children.length + svg.firstChild.namespaceURI; })() ~~> 2http://www.w3.org/2000/svg
        (() => { const dialog = document.body.appendChild(document.createElement('dialog')); dialog.showModal(); const { open } = dialog; dialog.close('done'); return [open, dialog.open, dialog.returnValue].join(); })() ~~> true,false,done
        new DOMParser().parseFromString('<p>', 'text/html').body.isConnected ~~> true
        document.querySelectorAll(':is(:unknown, [1], form)').length ~~> 1
        (() => { find('div').setAttribute('x', 'a/*b*/c'); return find('[x="a/*b*/c"]') === find('div'); })() ~~> true
        (() => { location.hash = '#%'; return find(':target'); })() ~~> null
        (() => { const context = document.createElement('canvas').getContext('2d'); context.translate(10, 10); context.rect(0, 0, 5, 5); const path = new Path2D(); path.rect(0, 0, 5, 5); return [context.isPointInPath(12, 12), context.isPointInPath(2, 2), context.isPointInPath(path, 12, 12)].join(); })() ~~> true,false,true
        document.body.compareDocumentPosition(find('form input').attributes[0]) ~~> 20
        (() => { const names = []; for (const name in new CustomEvent('x')) names.push(name); return names.includes('type') && names.includes('detail'); })() ~~> true
        (() => { const table = document.createElement('table'); table.insertRow().id = 'a'; table.insertRow(0).id = 'b'; table.createTFoot().insertRow().id = 'c'; table.insertRow().id = 'd'; table.createTHead().insertRow().id = 'e'; return [...table.rows].map((row) => row.id).join(''); })() ~~> ebacd
        (() => { const table = document.createElement('table'), body = document.createElement('tbody'); table.createCaption(); table.createTHead(); table.createTFoot(); for (const name of ['caption', 'tHead', 'tFoot']) { try { table[name] = body; } catch (error) { table.title += error.name[0]; } } return table.outerHTML; })() ~~> <table title="HHH"><caption></caption><thead></thead><tfoot></tfoot></table>
        (() => { const table = document.createElement('table'), head = document.createElement('thead'); table.createCaption(); table.createTHead(); table.createTFoot(); table.tHead = head; table.caption = null; table.tFoot = undefined; return [table.tHead === head, table.children.length].join(); })() ~~> true,1
        [document.createElement('tr').sectionRowIndex, document.createElement('tbody').insertRow().sectionRowIndex].join() ~~> -1,0
        Object.assign(document.createElement('input'), { type: 'wee\u212a' }).type ~~> text
        (() => { const link = Object.assign(document.createElement('a'), { href: 'https://\u0646\u0627\u0645\u0647\u200c\u0627\u06cc/' }); return link.hostname; })() ~~> xn--mgba3gch31f060k
        (() => { const div = find('div'), observer = new MutationObserver(() => {}); observer.observe(div, { childList: true }); div.replaceChild(div.firstChild, div.firstChild); return observer.takeRecords().map((one) => `${one.removedNodes.length}${one.addedNodes.length}`).join(); })() ~~> 10,01
        (() => { const one = document.createElement('p'), two = document.createElement('p'), kid = one.appendChild(document.createElement('b')), observer = new MutationObserver(() => {}); observer.observe(one, { childList: true }); two.appendChild(kid); return observer.takeRecords().length; })() ~~> 1
        (() => { const div = find('div'), text = new Text('onetwo'), range = document.createRange(); div.replaceChildren(text); range.selectNode(text.splitText(3)); div.normalize(); return [range.toString(), div.childNodes.length].join(); })() ~~> two,1
        (() => { const div = find('div'); div.replaceChildren('a', 'b'); return div.lastChild.wholeText; })() ~~> ab
        (() => { const div = find('div'); div.classList.remove('x'); const before = div.hasAttribute('class'); div.className = 'a a b'; div.classList.replace('a', 'a'); return [before, div.className].join(); })() ~~> false,a b
        (() => { const div = find('div'); div.id = '\ufffd'; return [find('#\\') === div, find('#\\0') === div, find('#\0') === div].join(); })() ~~> true,true,true
        (() => { const div = find('div'); div.lang = 'en-Latn-US'; div.dir = 'auto'; div.textContent = '\u05d0 a'; return [div.matches(':lang(en-US)'), div.matches(':lang(en-GB)'), div.matches(':dir(rtl)')].join(); })() ~~> true,false,true
        (() => { const list = find('div').children; find('b').id = 'first'; return [Object.getOwnPropertyNames(list).join(), 'first' in list].join(); })() ~~> 0,1,first,true
        [new Document() instanceof XMLDocument, document.implementation.createDocument(null, 'a', null) instanceof XMLDocument, document.implementation.createHTMLDocument('').defaultView].join() ~~> false,true,
        (() => { const text = find('b').firstChild; try { text.appendChild(new Text('x')); } catch (error) { return error instanceof DOMException && error.name; } })() ~~> HierarchyRequestError
        (() => { const radio = find('.two'), seen = []; for (const type of ['click', 'input', 'change']) radio.addEventListener(type, () => seen.push(type)); radio.click(); return seen.join(); })() ~~> click
        [find('input').files, Object.assign(document.createElement('input'), { type: 'file' }).files instanceof FileList].join() ~~> ,true
        """#

    /// `text` is the text of `<p>one <b>two</b> three</p>`, and `range` from "ne" to "th".
    private static let ranges = #"""
        [range.toString(), range.collapsed, range.commonAncestorContainer.localName].join() ~~> ne two th,false,p
        (() => { range.deleteContents(); return [p.innerHTML, range.collapsed, range.startContainer === p, range.startOffset].join(); })() ~~> oree,true,true,1
        (() => { const { childNodes } = range.extractContents(); return [[...childNodes].map((node) => node.textContent).join('|'), p.textContent].join(); })() ~~> ne |two| th,oree
        (() => { const copy = document.createElement('i'); copy.append(range.cloneContents()); return [copy.innerHTML, p.textContent].join(); })() ~~> ne <b>two</b> th,one two three
        (() => { range.insertNode(document.createElement('hr')); return [p.innerHTML, range.toString()].join(); })() ~~> o<hr>ne <b>two</b> three,ne two th
        (() => { const inner = document.createRange(); inner.selectNodeContents(p.querySelector('b')); inner.surroundContents(document.createElement('u')); return [p.innerHTML, inner.startContainer.localName].join(); })() ~~> one <b><u>two</u></b> three,b
        (() => { range.setStart(p.querySelector('b').firstChild, 1); p.querySelector('b').remove(); return [range.startContainer === p, range.startOffset, range.toString()].join(); })() ~~> true,1, th
        (() => { range.setStart(p, 2); p.prepend('a', 'b'); p.append('c'); return [range.startOffset, range.toString()].join(); })() ~~> 4, th
        (() => { p.firstChild.insertData(0, 'xyz'); p.firstChild.deleteData(3, 2); return [range.startOffset, range.toString()].join(); })() ~~> 3,e two th
        (() => { p.firstChild.splitText(2); return [range.startContainer.data, range.startOffset, range.endOffset, p.childNodes.length].join(); })() ~~> on,1,3,4
        (() => { p.replaceChildren('new'); return [range.startContainer === p, range.startOffset, range.endOffset].join(); })() ~~> true,0,0
        (() => { const [, b] = p.childNodes; p.insertBefore(b, p.firstChild); p.replaceChild(document.createElement('s'), b); return [p.innerHTML, range.toString()].join(); })() ~~> <s></s>one  three,ne  th
        (() => { const whole = document.createRange(); whole.selectNode(p); return [whole.compareBoundaryPoints(Range.START_TO_START, range), whole.compareBoundaryPoints(Range.END_TO_START, range), range.comparePoint(p, 3), range.isPointInRange(p, 1), range.intersectsNode(document.body)].join(); })() ~~> -1,-1,1,true,true
        thrown(() => range.setStart(p, 9)) ~~> DOMException IndexSizeError
        thrown(() => range.surroundContents(document)) ~~> DOMException InvalidNodeTypeError
        thrown(() => range.insertNode(document)) ~~> DOMException HierarchyRequestError
        (() => { const { childNodes } = range.createContextualFragment('<li>1<li>2'); return [childNodes.length, childNodes[1].textContent].join(); })() ~~> 2,2
        (() => { const selection = getSelection(); selection.addRange(range); return [selection === document.getSelection(), `${selection}`, selection.type, selection.getRangeAt(0) === range, selection.containsNode(p.querySelector('b'))].join(); })() ~~> true,ne two th,Range,true,true
        (() => { const selection = getSelection(); selection.setBaseAndExtent(p, 3, p, 1); const before = [selection.anchorOffset, selection.focusOffset, selection.direction]; selection.collapseToEnd(); return [...before, selection.focusOffset, selection.isCollapsed].join(); })() ~~> 3,1,backward,3,true
        (() => { getSelection().selectAllChildren(p); getSelection().deleteFromDocument(); return p.innerHTML + getSelection().rangeCount; })() ~~> 1
        """#

    @Test(arguments: table(ranges))
    func `ranges follow the changes of their nodes`(expression: String, value: String) throws {
        let start = """
            const p = document.body.appendChild(document.createElement("p")), range = document.createRange();
            p.innerHTML = "one <b>two</b> three";
            range.setStart(p.firstChild, 1);
            range.setEnd(p.lastChild, 3);
            """
        #expect(try lines("\(start)console.log(String(\(expression)));") == [value])
    }

    @Test func `one event tells that the selection has changed`() throws {
        let found = try lines(
            """
            document.addEventListener("selectionchange", () => console.log(getSelection().toString()));
            getSelection().collapse(find("div"), 0);
            getSelection().selectAllChildren(find("div"));
            """)
        #expect(found == ["xy"])
    }

    @Test func `only scripts of a type or language of JavaScript run`() throws {
        let found = try lines(
            """
            for (const [name, value] of [["type", ""], ["type", " Text/JavaScript "], ["type", " "], ["language", "JavaScript1.2"],
                ["language", "javascript "], ["language", ""], ["type", "text/x-template"]]) {
                const script = document.createElement("script");
                script.setAttribute(name, value);
                script.textContent = `console.log(${JSON.stringify(value)})`;
                document.body.append(script);
            }
            """)
        #expect(found == ["", " Text/JavaScript ", "JavaScript1.2", ""])
    }

    @Test func `frames and timers are numbered apart`() throws {
        let found = try lines(
            """
            setTimeout(() => {});
            const frame = requestAnimationFrame(() => console.log("frame")), timer = setTimeout(() => console.log("timer"));
            console.log(frame === timer);
            clearTimeout(frame);
            cancelAnimationFrame(timer);
            cancelAnimationFrame(requestAnimationFrame(() => console.log("never")));
            """)
        #expect(found.sorted() == ["false", "frame", "timer"])
    }

    @Test(arguments: table(results))
    func `what ordinary pages use`(expression: String, value: String) throws {
        let start = """
            const select = (letters) => {
                const made = document.createElement("select");
                made.innerHTML = [...letters].map((letter) => `<option>${letter}`).join("");
                return made;
            };
            """
        #expect(try lines("\(start)console.log(String(\(expression)));") == [value])
    }

    @Test func `some links do not navigate, and details and dialogs tell of changes`() throws {
        let found = try lines(
            """
            const click = (members) => Object.assign(document.body.appendChild(document.createElement("a")), members).click();
            click({ href: "javascript:console.log('ran')" });
            click({ href: "data.csv", download: "data.csv" });
            const details = document.body.appendChild(document.createElement("details"));
            details.addEventListener("toggle", ({ oldState, newState }) => console.log(oldState, newState));
            details.open = true;
            const dialog = document.body.appendChild(document.createElement("dialog"));
            dialog.addEventListener("close", () => console.log("close"));
            dialog.show();
            dialog.close();
            """)
        #expect(
            found == [
                "The app wanted to download data.csv; a headless run keeps no downloads.", "ran",
                "closed open", "close",
            ])
    }

    @Test func `what consists of several changes is recorded once`() throws {
        let found = try lines(
            """
            const target = find("div"), attribute = document.createAttribute("lang");
            attribute.value = "new";
            target.setAttribute("lang", "old");
            new MutationObserver((records) => {
                for (const { type, addedNodes, removedNodes, oldValue } of records) console.log(type, addedNodes.length, removedNodes.length, oldValue);
            }).observe(target, { childList: true, attributeOldValue: true });
            target.replaceChildren("a", "b");
            target.setAttributeNode(attribute);
            target.removeAttributeNode(attribute);
            """)
        #expect(found == ["childList 2 2 null", "attributes 0 0 old", "attributes 0 0 new"])
    }

    @Test func `autofocus follows parsing, and a var of a function hides no element`() throws {
        let run = try PageRun([
            "app.html": """
            <!DOCTYPE html><p id="place"></p><script>
            function inner() { var place = 1; return place; }
            var found = place;
            console.log(found.id + inner());
            document.addEventListener("DOMContentLoaded", () => console.log(document.activeElement.id));
            </script><input id="second" autofocus>
            """
        ])
        #expect(run.lines == ["place1", "second"])
    }

    /// Runs a script in the page; `find` is `querySelector`.
    private func lines(_ script: String) throws -> [String] {
        let start = """
            const find = (selector) => document.querySelector(selector);
            const thrown = (body) => {
                try { body(); } catch (error) { return `${error.constructor.name} ${error.name}`; }
            };
            """
        let run = try PageRun(["app.html": "\(Self.page)<script>\(start)\(script)</script>"])
        #expect(run.errors.isEmpty)
        return run.lines
    }

    @Test func `the console shows nodes as markup, without their contents`() throws {
        let found = try lines(
            """
            const b = find("b");
            b.className = "a";
            console.log(b, [find("input"), b.firstChild], document);
            console.log(document.createComment("c"), document.createDocumentFragment(), "%o", b);
            console.log(Element.prototype instanceof Node, typeof HTMLElement);
            """)
        #expect(
            found == [
                "<b class=\"a\">…</b> [ <input type=\"checkbox\" class=\"check\">, #text \"x\" ] #document",
                "<!--c--> #document-fragment %o <b class=\"a\">…</b>", "true function",
            ])
    }

    @Test func `custom properties of a style are kept beside others`() throws {
        let found = try lines(
            """
            const { style } = find("div");
            style.setProperty("--Size", "3");
            style.color = "red";
            style.setProperty("margin", "0", "important");
            style.removeProperty("color");
            style.width = "a;b";
            console.log(find("div").getAttribute("style"), style.getPropertyValue("--Size"), style.length, style[1]);
            """)
        #expect(found == ["--Size: 3; margin: 0px !important; 3 5 margin-top"])
    }

    @Test func `XML is parsed as XML`() throws {
        let found = try lines(
            """
            const parse = (text) => new DOMParser().parseFromString(text, "text/xml");
            const gpx = parse(`<?xml version="1.0"?><!DOCTYPE gpx><gpx xmlns="u:g" xmlns:e="u:e" e:v="1 &amp; 2">
                <trkpt/><trkpt/><![CDATA[a<b]]><!--c--></gpx>`);
            console.log(gpx.querySelectorAll("gpx > trkpt").length, gpx.documentElement.tagName, gpx.documentElement.namespaceURI,
                gpx.documentElement.getAttributeNS("u:e", "v"), gpx.documentElement.textContent.trim(), gpx.contentType);
            console.log(new XMLSerializer().serializeToString(parse("<a b='&lt;&quot;'><c/>&#65;<![CDATA[&]]></a>")));
            for (const text of ["<a><b></a>", "<a", "<a b=1/>", "<a/><b/>", "<a>&nbsp;</a>", "<x:a/>", "", "<a b='' b=''/>", "<a>]]></a>"]) {
                console.log(parse(text).querySelector("parsererror") === null);
            }
            """)
        #expect(found.first == "2 gpx u:g 1 & 2 a<b text/xml")
        #expect(found.dropFirst().first == #"<a b="&lt;&quot;"><c/>A<![CDATA[&]]></a>"#)
        #expect(found.dropFirst(2).allSatisfy { $0 == "false" } && found.count == 11)
    }

    @Test func `a click changes a control before its listeners run`() throws {
        let found = try lines(
            """
            const check = find(".check");
            for (const type of ["click", "input", "change"]) check.addEventListener(type, () => console.log(type, check.checked));
            check.click();
            check.addEventListener("click", (event) => event.preventDefault(), { once: true });
            check.click();
            console.log(check.checked);
            find(".lone").click();
            find(".one").click();
            console.log(find(".lone").checked, find(".one").checked, find(".two").checked);
            """)
        #expect(
            found == [
                "click true", "input true", "change true", "click false", "true", "true true false",
            ])
    }

    @Test func `a submit button names itself, and validity decides about a form`() throws {
        let found = try lines(
            """
            find("form").addEventListener("submit", (event) => {
                console.log("submit", event.submitter.name, event instanceof SubmitEvent);
                event.preventDefault();
            });
            find("button").click();
            find("[type=email]").value = "nobody";
            find("[type=email]").addEventListener("invalid", (event) => console.log("invalid", event.target.validity.typeMismatch));
            find("button").click();
            find("form").reset();
            console.log(find("form").checkValidity(), find("[type=email]").value);
            """)
        #expect(found == ["submit go true", "invalid true", "true a@b.c"])
    }

    @Test func `focus and selection are kept`() throws {
        let found = try lines(
            """
            const text = find("textarea");
            for (const type of ["focus", "blur", "focusin", "focusout"]) document.addEventListener(type, (event) => console.log(type, event.target.localName), true);
            text.focus();
            console.log(document.activeElement === text);
            text.setSelectionRange(1, 3);
            text.setRangeText("EL");
            console.log(text.value, text.selectionStart, text.selectionEnd);
            text.blur();
            console.log(document.activeElement === document.body);
            """)
        #expect(
            found == [
                "focus textarea", "focusin textarea", "true", "hELlo 1 3", "blur textarea",
                "focusout textarea", "true",
            ])
    }

    @Test func `events are dispatched as the standard says`() throws {
        let found = try lines(
            """
            let passive = 0;
            addEventListener("test", null, { get passive() { passive++; } });
            const target = new EventTarget(), order = [];
            target.addEventListener("x", () => order.push("bubble"));
            target.addEventListener("x", (event) => order.push("capture", window.event === event), true);
            target.addEventListener("x", (event) => event.preventDefault(), { passive: true });
            const event = new Event("x", { cancelable: true });
            console.log(passive, target.dispatchEvent(event), order.join(), window.event, event.isTrusted);
            for (const body of [() => target.dispatchEvent({}), () => target.dispatchEvent(document.createEvent("Event")), () => new Event()]) {
                try { body(); } catch (error) { console.log(error.name); }
            }
            const order2 = [], one = () => order2.push("one");
            target.ony = null;
            document.onclick = one;
            document.addEventListener("click", () => order2.push("two"));
            document.onclick = null;
            document.onclick = one;
            document.dispatchEvent(new MouseEvent("click"));
            console.log(order2.join());
            const { signal } = new AbortController(), first = new AbortController();
            const any = AbortSignal.any([first.signal, signal]);
            any.onabort = (abort) => console.log(abort.isTrusted, any.reason);
            first.abort("why");
            """)
        #expect(
            found == [
                "1 true capture,true,bubble undefined false", "TypeError", "InvalidStateError",
                "TypeError",
                "two,one", "true why",
            ])
    }

    @Test func `mutations are recorded with what was there before`() throws {
        let found = try lines(
            """
            const div = find("div");
            new MutationObserver((records) => {
                for (const { type, addedNodes, removedNodes, oldValue, previousSibling } of records) {
                    console.log(type, addedNodes.length, removedNodes.length, oldValue, previousSibling?.textContent);
                }
            }).observe(div, { childList: true, attributeOldValue: true, characterDataOldValue: true, subtree: true });
            div.append("a", "b");
            div.title = "1";
            div.title = "2";
            div.firstChild.firstChild.data = "z";
            div.innerHTML = "<i></i>";
            """)
        #expect(
            found == [
                "childList 2 0 null y", "attributes 0 0 null undefined",
                "attributes 0 0 1 undefined",
                "characterData 0 0 x undefined", "childList 1 4 null undefined",
            ])
    }

    @Test func `observers report once and a canvas keeps its state`() throws {
        let found = try lines(
            """
            new ResizeObserver(([entry]) => console.log("size", entry.contentRect.width)).observe(find("div"));
            new IntersectionObserver(([entry]) => console.log("seen", entry.isIntersecting)).observe(find("div"));
            requestIdleCallback((deadline) => console.log("idle", deadline.timeRemaining() > 0));
            const context = document.createElement("canvas").getContext("2d");
            context.save();
            context.fillStyle = "blue";
            context.lineWidth = -1;
            context.rect(0, 0, 10, 10);
            console.log(context.fillStyle, context.lineWidth, context.isPointInPath(5, 5), context.isPointInPath(15, 5));
            context.restore();
            console.log(context.fillStyle, context.measureText("abc").width > 10, document.createElement("canvas").getContext("webgl"));
            console.log(context.getImageData(0, 0, 2, 2).data.length);
            """)
        #expect(found.contains("blue 1 true false") && found.contains("#000000 true null"))
        #expect(found.contains { $0.contains("A canvas has no pixels in a headless run") })
        #expect(Set(found).isSuperset(of: ["16", "size 0", "seen true", "idle true"]))
    }
}

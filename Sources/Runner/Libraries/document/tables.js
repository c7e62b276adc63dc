// The rows and sections of tables, after https://html.spec.whatwg.org/#tables.
import { elements } from "domino/lib/htmlelts";
import { derived } from "./changes.js";
import { HTMLCollection, collection } from "./live-lists.js";
import { add } from "./members.js";
import { elementsOf } from "./tree.js";

export function install(bridge) {
    const { HTMLTableElement, HTMLTableSectionElement, HTMLTableRowElement, HTMLTableCellElement } = elements;
    const throwOutOfRange = () => { throw new bridge.DOMException("the index is out of range", "IndexSizeError"); };
    const children = (parent, ...names) => elementsOf(parent).filter((child) => names.includes(child.localName));
    const [bodiesOf, sectionRowsOf, cellsOf] = [["tbody"], ["tr"], ["td", "th"]].map((names) => derived((parent) => [elementsOf(parent)], (parent) => children(parent, ...names)));
    const make = (parent, name) => parent.ownerDocument.createElement(name);
    const partsOf = (table) => [elementsOf(table), ...elementsOf(table).map(elementsOf)];
    const rowsOf = derived(partsOf, (table) => [
        ...children(table, "thead").flatMap((head) => sectionRowsOf(head)),
        ...elementsOf(table).flatMap((child) => (child.localName === "tr" ? [child] : child.localName === "tbody" ? sectionRowsOf(child) : [])),
        ...children(table, "tfoot").flatMap((foot) => sectionRowsOf(foot)),
    ]);
    // The last row, without a list of all.
    const lastRowOf = (table) => {
        for (const names of [["tfoot"], ["tbody", "tr"], ["thead"]]) {
            for (const section of children(table, ...names).reverse()) {
                if (section.localName === "tr") return section;
                for (let kid = section.lastChild; kid !== null; kid = kid.previousSibling) if (kid.localName === "tr") return kid;
            }
        }
        return null;
    };
    const insertInto = (parent, listOf, index, name) => {
        if (index === -1) return parent.appendChild(make(parent, name));
        const list = listOf(parent);
        if (index < -1 || index > list.length) throwOutOfRange();
        return parent.insertBefore(make(parent, name), list[index] ?? null);
    };
    const removeFrom = (list, index) => {
        if (index < -1 || index >= list.length) throwOutOfRange();
        (index === -1 ? list.at(-1) : list[index])?.remove();
    };
    const childAccessor = (name) => ({
        get() { return children(this, name)[0] ?? null; },
        set(value) {
            const isRemoval = value === null || value === undefined;
            if (!isRemoval && value.localName !== name) throw new bridge.DOMException(`the element is not a ${name}`, "HierarchyRequestError");
            children(this, name)[0]?.remove();
            if (isRemoval) return;
            const place = name === "caption" ? this.firstChild
                : name === "thead" ? elementsOf(this).find((child) => !/^(?:caption|colgroup)$/.test(child.localName)) ?? null : null;
            this.insertBefore(value, place);
        },
        configurable: true, enumerable: true,
    });
    Object.defineProperties(HTMLTableElement.prototype, { caption: childAccessor("caption"), tHead: childAccessor("thead"), tFoot: childAccessor("tfoot") });
    const created = (key, name) => function () { return this[key] ?? (this[key] = make(this, name)); };
    const deleted = (key) => function () { this[key]?.remove(); };
    add(HTMLTableElement.prototype, {
        createCaption: created("caption", "caption"), deleteCaption: deleted("caption"),
        createTHead: created("tHead", "thead"), deleteTHead: deleted("tHead"),
        createTFoot: created("tFoot", "tfoot"), deleteTFoot: deleted("tFoot"),
        createTBody() {
            const last = bodiesOf(this).at(-1);
            return this.insertBefore(make(this, "tbody"), last?.nextSibling ?? null);
        },
        get tBodies() { return this._bodies ??= collection(HTMLCollection, this, bodiesOf); },
        get rows() { return this._rows ??= collection(HTMLCollection, this, rowsOf); },
        insertRow(index = -1) {
            if (index < -1 || (index > 0 && index > rowsOf(this).length)) throwOutOfRange();
            const last = lastRowOf(this), place = index === -1 ? null : rowsOf(this)[index] ?? null;
            if (last === null) return (bodiesOf(this).at(-1) ?? this.createTBody()).appendChild(make(this, "tr"));
            return (place ?? last).parentNode.insertBefore(make(this, "tr"), place ?? last.nextSibling);
        },
        deleteRow(index) { removeFrom(rowsOf(this), index); },
    });
    add(HTMLTableSectionElement.prototype, {
        get rows() { return this._rows ??= collection(HTMLCollection, this, sectionRowsOf); },
        insertRow(index = -1) { return insertInto(this, sectionRowsOf, index, "tr"); },
        deleteRow(index) { removeFrom(sectionRowsOf(this), index); },
    });
    add(HTMLTableRowElement.prototype, {
        get cells() { return this._cells ??= collection(HTMLCollection, this, cellsOf); },
        get rowIndex() {
            const table = this.closest("table");
            return table === null ? -1 : rowsOf(table).indexOf(this);
        },
        get sectionRowIndex() {
            const section = this.parentNode;
            return /^(?:table|thead|tbody|tfoot)$/.test(section?.localName) ? sectionRowsOf(section).indexOf(this) : -1;
        },
        insertCell(index = -1) { return insertInto(this, cellsOf, index, "td"); },
        deleteCell(index) { removeFrom(cellsOf(this), index); },
    });
    // Both kinds of cells have one interface.
    elements.HTMLTableDataCellElement.prototype = elements.HTMLTableHeaderCellElement.prototype = HTMLTableCellElement.prototype;
    add(HTMLTableCellElement.prototype, {
        get headers() { return this.getAttribute("headers") ?? ""; },
        set headers(value) { this.setAttribute("headers", value); },
        get cellIndex() { return this.parentNode?.localName === "tr" ? cellsOf(this.parentNode).indexOf(this) : -1; },
    });
}

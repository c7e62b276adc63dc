// The rows and sections of tables, after https://html.spec.whatwg.org/#tables.
import { elements } from "domino/lib/htmlelts";
import { add, collection } from "./members.js";

export function install(bridge) {
    const { HTMLTableElement, HTMLTableSectionElement, HTMLTableRowElement, HTMLTableCellElement } = elements;
    const outside = () => { throw new bridge.DOMException("the index is out of range", "IndexSizeError"); };
    const children = (parent, ...names) => [...parent.children].filter((child) => names.includes(child.localName));
    const make = (parent, name) => parent.ownerDocument.createElement(name);
    const rowsOf = (table) => [
        ...children(table, "thead").flatMap((head) => children(head, "tr")),
        ...[...table.children].flatMap((child) => (child.localName === "tr" ? [child] : child.localName === "tbody" ? children(child, "tr") : [])),
        ...children(table, "tfoot").flatMap((foot) => children(foot, "tr")),
    ];
    const insertInto = (parent, list, index, name) => {
        if (index < -1 || index > list.length) outside();
        return parent.insertBefore(make(parent, name), index === -1 ? null : list[index] ?? null);
    };
    const removeFrom = (list, index) => {
        if (index < -1 || index >= list.length) outside();
        (index === -1 ? list.at(-1) : list[index])?.remove();
    };
    const section = (name) => ({
        get() { return children(this, name)[0] ?? null; },
        set(value) {
            children(this, name)[0]?.remove();
            if (value === null) return;
            if (value.localName !== name) throw new bridge.DOMException(`the element is not a ${name}`, "HierarchyRequestError");
            const place = name === "caption" ? this.firstChild
                : name === "thead" ? [...this.children].find((child) => !/^(?:caption|colgroup)$/.test(child.localName)) ?? null : null;
            this.insertBefore(value, place);
        },
        configurable: true, enumerable: true,
    });
    Object.defineProperties(HTMLTableElement.prototype, { caption: section("caption"), tHead: section("thead"), tFoot: section("tfoot") });
    const created = (key, name) => function () { return this[key] ?? (this[key] = make(this, name)); };
    const deleted = (key) => function () { this[key]?.remove(); };
    add(HTMLTableElement.prototype, {
        createCaption: created("caption", "caption"), deleteCaption: deleted("caption"),
        createTHead: created("tHead", "thead"), deleteTHead: deleted("tHead"),
        createTFoot: created("tFoot", "tfoot"), deleteTFoot: deleted("tFoot"),
        createTBody() {
            const last = children(this, "tbody").at(-1);
            return this.insertBefore(make(this, "tbody"), last?.nextSibling ?? null);
        },
        get tBodies() { return this._bodies ??= collection("HTMLCollection", () => children(this, "tbody")); },
        get rows() { return this._rows ??= collection("HTMLCollection", () => rowsOf(this)); },
        insertRow(index = -1) {
            const rows = rowsOf(this);
            if (index < -1 || index > rows.length) outside();
            if (rows.length === 0) return (children(this, "tbody").at(-1) ?? this.createTBody()).appendChild(make(this, "tr"));
            const isLast = index === -1 || index === rows.length, place = isLast ? rows.at(-1) : rows[index];
            return place.parentNode.insertBefore(make(this, "tr"), isLast ? place.nextSibling : place);
        },
        deleteRow(index) { removeFrom(rowsOf(this), index); },
    });
    add(HTMLTableSectionElement.prototype, {
        get rows() { return this._rows ??= collection("HTMLCollection", () => children(this, "tr")); },
        insertRow(index = -1) { return insertInto(this, children(this, "tr"), index, "tr"); },
        deleteRow(index) { removeFrom(children(this, "tr"), index); },
    });
    add(HTMLTableRowElement.prototype, {
        get cells() { return this._cells ??= collection("HTMLCollection", () => children(this, "td", "th")); },
        get rowIndex() {
            const table = this.closest("table");
            return table === null ? -1 : rowsOf(table).indexOf(this);
        },
        get sectionRowIndex() { return this.parentNode === null ? -1 : children(this.parentNode, "tr").indexOf(this); },
        insertCell(index = -1) { return insertInto(this, children(this, "td", "th"), index, "td"); },
        deleteCell(index) { removeFrom(children(this, "td", "th"), index); },
    });
    add(HTMLTableCellElement.prototype, {
        get cellIndex() { return this.parentNode?.localName === "tr" ? children(this.parentNode, "td", "th").indexOf(this) : -1; },
    });
}

// The values of attributes of SVG elements, after https://svgwg.org/svg2-draft/types.html. This file is evaluated when a script first
// reads one. Nothing is animated: the animated value is the one of the attribute.
let made = null;

const largest = 3.4028234663852886e38;
const finite = (value) => {
    const number = +value;
    if (!(Math.abs(number) <= largest)) throw new TypeError("the number is not a finite number of single precision");
    return Math.fround(number);
};

export function install(bridge) {
    if (made !== null) return made;
    const error = (name, message) => { throw new bridge.DOMException(message, name); };
    const owners = new WeakMap();
    const create = (Kind, facts) => {
        const object = Object.create(Kind.prototype);
        owners.set(object, facts);
        return object;
    };
    const illegal = () => { throw new TypeError("Illegal constructor"); };

    class SVGAnimatedString {
        constructor() { illegal(); }
        get baseVal() {
            const { element, name } = owners.get(this);
            return element.getAttribute(name) ?? (name === "href" ? element.getAttributeNS("http://www.w3.org/1999/xlink", "href") : null) ?? "";
        }
        set baseVal(value) { owners.get(this).element.setAttribute(owners.get(this).name, value); }
        get animVal() { return this.baseVal; }
    }

    class SVGNumber {
        constructor() { illegal(); }
        get value() { return owners.get(this).value; }
        set value(value) { owners.get(this).value = finite(value); }
    }

    // A rectangle of its own, or the one of an attribute.
    class SVGRect {
        constructor() { illegal(); }
    }
    for (const [at, side] of ["x", "y", "width", "height"].entries()) {
        Object.defineProperty(SVGRect.prototype, side, {
            configurable: true, enumerable: true,
            get() { return owners.get(this).read()[at]; },
            set(value) {
                const facts = owners.get(this), sides = facts.read();
                sides[at] = finite(value);
                facts.write(sides);
            },
        });
    }
    const rect = (read, write) => create(SVGRect, { read, write });

    class SVGAnimatedRect {
        constructor() { illegal(); }
        get baseVal() { return owners.get(this).rect; }
        get animVal() { return owners.get(this).rect; }
    }

    const read = ({ element, name }) => {
        const text = element.getAttribute(name) ?? "";
        return (name === "systemLanguage" ? text.split(",") : text.split(/[\t\n\f\r ]+/))
            .map((one) => one.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, "")).filter((one) => one !== "");
    };
    class SVGStringList {
        constructor() { illegal(); }
        get length() { return itemsOf(this).length; }
        get numberOfItems() { return itemsOf(this).length; }
        clear() { write(this, []); }
        initialize(item) {
            write(this, [`${item}`]);
            return `${item}`;
        }
        getItem(index) { return itemsOf(this)[checked(this, index)]; }
        insertItemBefore(item, index) {
            const items = [...itemsOf(this)];
            items.splice(Math.min(index >>> 0, items.length), 0, `${item}`);
            write(this, items);
            return `${item}`;
        }
        replaceItem(item, index) {
            const items = [...itemsOf(this)];
            items[checked(this, index)] = `${item}`;
            write(this, items);
            return `${item}`;
        }
        removeItem(index) {
            const items = [...itemsOf(this)], [item] = items.splice(checked(this, index), 1);
            write(this, items);
            return item;
        }
        appendItem(item) {
            write(this, [...itemsOf(this), `${item}`]);
            return `${item}`;
        }
    }
    // Items hold until the attribute is another text: an item may have spaces.
    function itemsOf(list) {
        const facts = owners.get(list), text = facts.element.getAttribute(facts.name);
        if (facts.text !== text) Object.assign(facts, { text, items: read(facts) });
        return facts.items;
    }
    function write(list, items) {
        const facts = owners.get(list), text = items.join(facts.name === "systemLanguage" ? ", " : " ");
        Object.assign(facts, { text, items });
        facts.element.setAttribute(facts.name, text);
    }
    const checked = (list, index) => {
        if (index >>> 0 >= itemsOf(list).length) error("IndexSizeError", `there is no item ${index}`);
        return index >>> 0;
    };
    const isIndex = (key) => typeof key === "string" && /^(?:0|[1-9]\d*)$/.test(key);
    const indexed = {
        get: (list, key, self) => (isIndex(key) ? itemsOf(self)[key] : Reflect.get(list, key, self)),
        set(list, key, value, self) {
            if (!isIndex(key)) return Reflect.set(list, key, value, self);
            if (+key === itemsOf(self).length) self.appendItem(value);
            else self.replaceItem(value, +key);
            return true;
        },
        has: (list, key) => (isIndex(key) ? +key < list.length : key in list),
        ownKeys: (list) => [...itemsOf(list).keys()].map(String).concat(Reflect.ownKeys(list)),
        getOwnPropertyDescriptor(list, key) {
            if (!isIndex(key)) return Reflect.getOwnPropertyDescriptor(list, key);
            const value = itemsOf(list)[key];
            return value === undefined ? undefined : { value, writable: true, enumerable: true, configurable: true };
        },
    };
    Object.defineProperty(SVGStringList.prototype, Symbol.iterator, { value: Array.prototype.values, writable: true, configurable: true });
    const kinds = { SVGAnimatedString, SVGNumber, SVGRect, SVGAnimatedRect, SVGStringList };
    for (const kind of Object.values(kinds)) bridge.tag(kind);

    // The object of an attribute is always the same.
    const known = new WeakMap();
    const once = (element, name, make) => {
        if (!known.has(element)) known.set(element, new Map());
        const of = known.get(element);
        if (!of.has(name)) of.set(name, make());
        return of.get(name);
    };
    const numbers = (text) => (text ?? "").split(/[\t\n\f\r ,]+/).filter((one) => one !== "").map(Number);
    return made = {
        kinds,
        number: () => create(SVGNumber, { value: 0 }),
        rect() {
            let sides = [0, 0, 0, 0];
            return rect(() => [...sides], (next) => { sides = next; });
        },
        animatedString: (element, name) => once(element, name, () => create(SVGAnimatedString, { element, name })),
        animatedRect: (element, name) => once(element, name, () => create(SVGAnimatedRect, {
            rect: rect(() => {
                const sides = numbers(element.getAttribute(name));
                return sides.length === 4 && sides.every(Number.isFinite) ? sides : [0, 0, 0, 0];
            }, (sides) => element.setAttribute(name, sides.join(" "))),
        })),
        strings: (element, name) => once(element, name, () => {
            const list = create(SVGStringList, { element, name, text: undefined, items: [] }), proxy = new Proxy(list, indexed);
            owners.set(proxy, owners.get(list));
            return proxy;
        }),
    };
}

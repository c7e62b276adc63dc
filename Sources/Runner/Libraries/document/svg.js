// Elements of SVG, after https://svgwg.org/svg2-draft/. There is no layout: shapes have no sizes. The interfaces of
// most elements are in `svg-kinds.js`.
import svg, { elements } from "domino/lib/svg";
import { elements as htmlElements } from "domino/lib/htmlelts";
import { add } from "./members.js";

const space = "http://www.w3.org/2000/svg";
// The interfaces of elements, without "SVG" and "Element".
const names = `
Graphics Geometry TextContent TextPositioning Gradient Animation ComponentTransferFunction SVG G Defs Symbol Use Image
Switch ForeignObject A Path Rect Circle Ellipse Line Polyline Polygon TextPath Text TSpan Desc Title Metadata Style
Script View Stop Marker Mask ClipPath Pattern Filter LinearGradient RadialGradient MPath Animate AnimateMotion
AnimateTransform Set FEFuncA FEFuncB FEFuncG FEFuncR
FEBlend FEColorMatrix FEComponentTransfer FEComposite FEConvolveMatrix FEDiffuseLighting FEDisplacementMap FEDistantLight
FEDropShadow FEFlood FEGaussianBlur FEImage FEMerge FEMergeNode FEMorphology FEOffset FEPointLight FESpecularLighting
FESpotLight FETile FETurbulence
`;

/** The classes of values of attributes. */
export const values = (bridge) => require("./svg-values.js").install(bridge);

/** `constructorOfElement` returns the constructor of `SVGElement`. */
export function install(bridge, constructorOfElement) {
    const { SVGElement } = elements;
    let isMade = false;
    const make = () => {
        if (isMade) return;
        isMade = true;
        const made = require("./svg-kinds.js").install(bridge, constructorOfElement());
        for (const name of waiting) define(name, made[name]);
    };
    svg.createElement = (...list) => {
        make();
        return svg.createElement(...list);
    };
    const viewport = (element, test) => {
        for (let at = element.parentNode; at?.nodeType === 1 && at.namespaceURI === space && at.localName !== "foreignObject"; at = at.parentNode) if (test(at.localName)) return at;
        return null;
    };
    add(SVGElement.prototype, {
        get className() { return values(bridge).animatedString(this, "class"); },
        get ownerSVGElement() { return viewport(this, (name) => name === "svg"); },
        get viewportElement() { return viewport(this, (name) => name === "svg" || name === "symbol"); },
        get correspondingElement() { return null; },
        get correspondingUseElement() { return null; },
    });
    for (const name of ["tabIndex", "autofocus", "nonce"]) {
        const member = Object.getOwnPropertyDescriptor(htmlElements.HTMLElement.prototype, name);
        if (member !== undefined) Object.defineProperty(SVGElement.prototype, name, member);
    }
    const { global } = bridge, waiting = new Set();
    function define(name, value) {
        waiting.delete(name);
        Object.defineProperty(global, name, { configurable: true, enumerable: false, writable: true, value });
    }
    const wait = (name, load) => {
        if (name in global) return waiting.delete(name);
        Object.defineProperty(global, name, {
            configurable: true, enumerable: false, set: (value) => define(name, value), get() {
                load(name);
                return global[name];
            },
        });
    };
    for (const name of names.trim().split(/\s+/)) {
        waiting.add(`SVG${name}Element`);
        wait(`SVG${name}Element`, make);
    }
    for (const name of ["SVGStringList", "SVGAnimatedString", "SVGNumber", "SVGRect", "SVGAnimatedRect"]) {
        wait(name, () => define(name, values(bridge).kinds[name]));
    }
}

// The interfaces of SVG elements, after https://svgwg.org/svg2-draft/. There is no layout: shapes have no sizes.
import svg, { elements } from "domino/lib/svg";
import { elements as htmlElements } from "domino/lib/htmlelts";
import { add, reflect } from "./members.js";
import { firstElement } from "./tree.js";

const space = "http://www.w3.org/2000/svg";
// Each interface with its parent and the elements that have it.
const table = `
SVGGraphicsElement SVGElement
SVGGeometryElement SVGGraphicsElement
SVGTextContentElement SVGGraphicsElement
SVGTextPositioningElement SVGTextContentElement
SVGGradientElement SVGElement
SVGAnimationElement SVGElement
SVGComponentTransferFunctionElement SVGElement
SVGSVGElement SVGGraphicsElement svg
SVGGElement SVGGraphicsElement g
SVGDefsElement SVGGraphicsElement defs
SVGSymbolElement SVGGraphicsElement symbol
SVGUseElement SVGGraphicsElement use
SVGImageElement SVGGraphicsElement image
SVGSwitchElement SVGGraphicsElement switch
SVGForeignObjectElement SVGGraphicsElement foreignObject
SVGAElement SVGGraphicsElement a
SVGPathElement SVGGeometryElement path
SVGRectElement SVGGeometryElement rect
SVGCircleElement SVGGeometryElement circle
SVGEllipseElement SVGGeometryElement ellipse
SVGLineElement SVGGeometryElement line
SVGPolylineElement SVGGeometryElement polyline
SVGPolygonElement SVGGeometryElement polygon
SVGTextPathElement SVGTextContentElement textPath
SVGTextElement SVGTextPositioningElement text
SVGTSpanElement SVGTextPositioningElement tspan
SVGDescElement SVGElement desc
SVGTitleElement SVGElement title
SVGMetadataElement SVGElement metadata
SVGStyleElement SVGElement style
SVGScriptElement SVGElement script
SVGViewElement SVGElement view
SVGStopElement SVGElement stop
SVGMarkerElement SVGElement marker
SVGMaskElement SVGElement mask
SVGClipPathElement SVGElement clipPath
SVGPatternElement SVGElement pattern
SVGFilterElement SVGElement filter
SVGLinearGradientElement SVGGradientElement linearGradient
SVGRadialGradientElement SVGGradientElement radialGradient
SVGMPathElement SVGElement mpath
SVGAnimateElement SVGAnimationElement animate
SVGAnimateMotionElement SVGAnimationElement animateMotion
SVGAnimateTransformElement SVGAnimationElement animateTransform
SVGSetElement SVGAnimationElement set
SVGFEFuncAElement SVGComponentTransferFunctionElement feFuncA
SVGFEFuncBElement SVGComponentTransferFunctionElement feFuncB
SVGFEFuncGElement SVGComponentTransferFunctionElement feFuncG
SVGFEFuncRElement SVGComponentTransferFunctionElement feFuncR
${["Blend", "ColorMatrix", "ComponentTransfer", "Composite", "ConvolveMatrix", "DiffuseLighting", "DisplacementMap", "DistantLight", "DropShadow", "Flood", "GaussianBlur",
        "Image", "Merge", "MergeNode", "Morphology", "Offset", "PointLight", "SpecularLighting", "SpotLight", "Tile", "Turbulence"]
        .map((name) => `SVGFE${name}Element SVGElement fe${name}`).join("\n")}
`.trim().split("\n").map((line) => line.split(" "));

/** Returns the interfaces by name, with the parent of each. */
export function install(bridge) {
    const { SVGElement, SVGSVGElement } = elements;
    const kinds = { SVGSVGElement }, parents = {}, prototypes = new Map();
    for (const [name, parent, tag] of table) {
        kinds[name] ??= { [name]: class {} }[name];
        parents[name] = parent;
        Object.setPrototypeOf(kinds[name].prototype, (kinds[parent] ?? SVGElement).prototype);
        if (tag !== undefined) prototypes.set(tag, kinds[name].prototype);
    }
    svg.createElement = (document, localName, prefix) => {
        const element = new SVGElement(document, localName, prefix), prototype = prototypes.get(localName);
        return prototype === undefined ? element : Object.setPrototypeOf(element, prototype);
    };
    const values = () => require("./svg-values.js").install(bridge);
    const viewport = (element, test) => {
        for (let at = element.parentNode; at?.nodeType === 1 && at.namespaceURI === space && at.localName !== "foreignObject"; at = at.parentNode) if (test(at.localName)) return at;
        return null;
    };
    add(SVGElement.prototype, {
        get className() { return values().animatedString(this, "class"); },
        get ownerSVGElement() { return viewport(this, (name) => name === "svg"); },
        get viewportElement() { return viewport(this, (name) => name === "svg" || name === "symbol"); },
        get correspondingElement() { return null; },
        get correspondingUseElement() { return null; },
    });
    for (const name of ["tabIndex", "autofocus", "nonce"]) {
        const member = Object.getOwnPropertyDescriptor(htmlElements.HTMLElement.prototype, name);
        if (member !== undefined) Object.defineProperty(SVGElement.prototype, name, member);
    }
    add(kinds.SVGGraphicsElement.prototype, {
        get requiredExtensions() { return values().strings(this, "requiredExtensions"); },
        get systemLanguage() { return values().strings(this, "systemLanguage"); },
        getBBox: () => values().rect(),
        getCTM: () => null,
        getScreenCTM: () => null,
    });
    add(kinds.SVGGeometryElement.prototype, {
        getTotalLength: () => 0,
        isPointInFill: () => false,
        isPointInStroke: () => false,
    });
    add(kinds.SVGTextContentElement.prototype, {
        getNumberOfChars() { return this.textContent.length; },
        getComputedTextLength: () => 0,
    });
    for (const name of ["SVGSVGElement", "SVGSymbolElement", "SVGMarkerElement", "SVGPatternElement", "SVGViewElement"]) {
        add(kinds[name].prototype, { get viewBox() { return values().animatedRect(this, "viewBox"); } });
    }
    for (const name of ["SVGAElement", "SVGUseElement", "SVGImageElement", "SVGTextPathElement", "SVGPatternElement", "SVGGradientElement", "SVGScriptElement", "SVGMPathElement"]) {
        add(kinds[name].prototype, { get href() { return values().animatedString(this, "href"); } });
    }
    add(SVGSVGElement.prototype, {
        getElementById(id) { return `${id}` === "" ? null : firstElement(this, (element) => element.id === `${id}`); },
        createSVGNumber: () => values().number(),
        createSVGRect: () => values().rect(),
        suspendRedraw: () => 1,
        unsuspendRedraw() {},
        unsuspendRedrawAll() {},
        forceRedraw() {},
    });
    reflect(kinds.SVGAElement.prototype, ["target", "rel", "download", "type"]);
    reflect(kinds.SVGStyleElement.prototype, ["type", "media", "title"]);
    for (const name of ["SVGStringList", "SVGAnimatedString", "SVGNumber", "SVGRect", "SVGAnimatedRect"]) {
        const define = (value) => Object.defineProperty(bridge.global, name, { configurable: true, enumerable: false, writable: true, value });
        Object.defineProperty(bridge.global, name, {
            configurable: true, enumerable: false, set: define, get() {
                define(values().kinds[name]);
                return bridge.global[name];
            },
        });
    }
    return { kinds, parents };
}

// The interfaces of the elements of SVG, made when the parser or an app first makes one or uses the name of an interface.
import svg, { elements } from "domino/lib/svg";
import { constructorOf } from "./interfaces.js";
import { add, reflect } from "./members.js";
import { values } from "./svg.js";
import { firstElement } from "./tree.js";

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

/** Replaces what makes elements of SVG. Returns the constructors by name. */
export function install(bridge, constructorOfElement) {
    const { SVGElement, SVGSVGElement } = elements;
    const kinds = { SVGSVGElement }, prototypes = new Map(), made = { SVGElement: constructorOfElement };
    for (const [name, parent, tag] of table) {
        kinds[name] ??= { [name]: class {} }[name];
        Object.setPrototypeOf(kinds[name].prototype, (kinds[parent] ?? SVGElement).prototype);
        if (tag !== undefined) prototypes.set(tag, kinds[name].prototype);
    }
    svg.createElement = (document, localName, prefix) => {
        const element = new SVGElement(document, localName, prefix), prototype = prototypes.get(localName);
        return prototype === undefined ? element : Object.setPrototypeOf(element, prototype);
    };
    add(kinds.SVGGraphicsElement.prototype, {
        get requiredExtensions() { return values(bridge).strings(this, "requiredExtensions"); },
        get systemLanguage() { return values(bridge).strings(this, "systemLanguage"); },
        getBBox: () => values(bridge).rect(),
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
        add(kinds[name].prototype, { get viewBox() { return values(bridge).animatedRect(this, "viewBox"); } });
    }
    for (const name of ["SVGAElement", "SVGUseElement", "SVGImageElement", "SVGTextPathElement", "SVGPatternElement", "SVGGradientElement", "SVGScriptElement", "SVGMPathElement"]) {
        add(kinds[name].prototype, { get href() { return values(bridge).animatedString(this, "href"); } });
    }
    add(SVGSVGElement.prototype, {
        getElementById(id) { return `${id}` === "" ? null : firstElement(this, (element) => element.id === `${id}`); },
        createSVGNumber: () => values(bridge).number(),
        createSVGRect: () => values(bridge).rect(),
        suspendRedraw: () => 1,
        unsuspendRedraw() {},
        unsuspendRedrawAll() {},
        forceRedraw() {},
    });
    reflect(kinds.SVGAElement.prototype, ["target", "rel", "download", "type"]);
    reflect(kinds.SVGStyleElement.prototype, ["type", "media", "title"]);
    for (const [name, parent] of table) made[name] = Object.setPrototypeOf(constructorOf(name, kinds[name], bridge), made[parent]);
    return made;
}

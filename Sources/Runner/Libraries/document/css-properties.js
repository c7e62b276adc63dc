// The properties of CSS: their syntax, whether they are inherited, and their initial values.
import { isMatch } from "./css-grammar.js";
import { text } from "./css-serialization.js";
import { componentValues, hasVariables, some, trimmed } from "./css-tokens.js";

// A line has names, the initial value, `i` if inherited, `c` if identifiers keep their case, and the syntax. Properties whose
// syntax is `<any>+` take every value.
const table = `
color|canvastext|i|<color>
background-color|transparent||<color>
border-top-color border-right-color border-bottom-color border-left-color border-block-start-color border-block-end-color border-inline-start-color border-inline-end-color outline-color column-rule-color text-decoration-color text-emphasis-color -webkit-text-fill-color -webkit-text-stroke-color|currentcolor||<color>
caret-color accent-color|auto||auto | <color>
border-top-style border-right-style border-bottom-style border-left-style border-block-start-style border-block-end-style border-inline-start-style border-inline-end-style column-rule-style|none||<line-style>
outline-style|none||auto | <line-style>
border-top-width border-right-width border-bottom-width border-left-width border-block-start-width border-block-end-width border-inline-start-width border-inline-end-width outline-width column-rule-width|medium||<line-width>
outline-offset|0px||<length>
border-top-left-radius border-top-right-radius border-bottom-right-radius border-bottom-left-radius border-start-start-radius border-start-end-radius border-end-start-radius border-end-end-radius|0px||<length-percentage[0]>{1,2}
border-image-source|none||none | <image>
border-image-slice|100%||[ <number[0]> | <percentage[0]> ]{1,4} && fill?
border-image-width|1||[ <length-percentage[0]> | <number[0]> | auto ]{1,4}
border-image-outset|0||[ <length[0]> | <number[0]> ]{1,4}
border-image-repeat|stretch||[ stretch | repeat | round | space ]{1,2}
background-image mask-image|none||[ none | <image> ]#
background-position-x|0%||[ center | [ left | right ] <length-percentage>? | <length-percentage> ]#
background-position-y|0%||[ center | [ top | bottom ] <length-percentage>? | <length-percentage> ]#
background-size mask-size|auto||<bg-size>#
background-repeat mask-repeat|repeat||<repeat-style>#
background-attachment|scroll||[ scroll | fixed | local ]#
background-origin|padding-box||<visual-box>#
background-clip|border-box||[ <visual-box> | text | border-area ]#
background-blend-mode mix-blend-mode|normal||[ normal | multiply | screen | overlay | darken | lighten | color-dodge | color-burn | hard-light | soft-light | difference | exclusion | hue | saturation | color | luminosity | plus-lighter ]#
width height inline-size block-size|auto||auto | <size>
min-width min-height min-inline-size min-block-size|auto||auto | <size>
max-width max-height max-inline-size max-block-size|none||none | <size>
margin-top margin-right margin-bottom margin-left margin-block-start margin-block-end margin-inline-start margin-inline-end|0px||auto | <length-percentage>
padding-top padding-right padding-bottom padding-left padding-block-start padding-block-end padding-inline-start padding-inline-end|0px||<length-percentage[0]>
top right bottom left inset-block-start inset-block-end inset-inline-start inset-inline-end|auto||auto | <length-percentage>
scroll-margin-top scroll-margin-right scroll-margin-bottom scroll-margin-left|0px||<length>
scroll-padding-top scroll-padding-right scroll-padding-bottom scroll-padding-left|auto||auto | <length-percentage[0]>
display|inline||none | contents | block | inline | inline-block | flow-root | flex | inline-flex | grid | inline-grid | table | inline-table | table-row | table-cell | table-caption | table-column | table-column-group | table-row-group | table-header-group | table-footer-group | list-item | run-in | ruby | ruby-base | ruby-text | ruby-base-container | ruby-text-container | math | -webkit-box | -webkit-inline-box | -webkit-flex | [ block | inline | run-in ] || [ flow | flow-root | table | flex | grid | ruby | math ] | [ block | inline ]? && [ flow | flow-root ]? && list-item
position|static||static | relative | absolute | sticky | fixed | -webkit-sticky
float|none||none | left | right | inline-start | inline-end
clear|none||none | left | right | both | inline-start | inline-end
visibility|visible|i|visible | hidden | collapse
opacity|1||<number> | <percentage>
overflow-x overflow-y overflow-block overflow-inline|visible||visible | hidden | clip | scroll | auto | overlay
overflow-anchor|auto||auto | none
overscroll-behavior-x overscroll-behavior-y|auto||auto | contain | none
z-index|auto||auto | <integer>
order|0||<integer>
box-sizing|content-box||content-box | border-box
box-shadow|none||none | <shadow>#
text-shadow|none|i|none | <shadow>#
aspect-ratio|auto||auto || <ratio>
clip|auto||auto | rect()
clip-path|none||none | <url> | <basic-shape> || [ border-box | padding-box | content-box | margin-box | fill-box | stroke-box | view-box ]
cursor|auto|i|[ <url> [ <number> <number> ]? , ]* [ auto | default | none | context-menu | help | pointer | progress | wait | cell | crosshair | text | vertical-text | alias | copy | move | no-drop | not-allowed | grab | grabbing | e-resize | n-resize | ne-resize | nw-resize | s-resize | se-resize | sw-resize | w-resize | ew-resize | ns-resize | nesw-resize | nwse-resize | col-resize | row-resize | all-scroll | zoom-in | zoom-out ]
pointer-events|auto|i|auto | none | visiblePainted | visiblepainted | visiblefill | visiblestroke | visible | painted | fill | stroke | all | bounding-box
user-select -webkit-user-select|auto||auto | text | none | contain | all
touch-action|auto||auto | none | manipulation | [ pan-x | pan-left | pan-right ] || [ pan-y | pan-up | pan-down ] || pinch-zoom
resize|none||none | both | horizontal | vertical | block | inline
appearance -webkit-appearance|none||none | auto | button | textfield | menulist-button | checkbox | listbox | menulist | meter | progress-bar | push-button | radio | searchfield | slider-horizontal | square-button | textarea
font-family|serif|ic|<family>#
font-size|medium|i|xx-small | x-small | small | medium | large | x-large | xx-large | xxx-large | larger | smaller | math | <length-percentage[0]>
font-style|normal|i|normal | italic | oblique <angle>?
font-weight|400|i|normal | bold | bolder | lighter | <number[1]>
font-stretch|normal|i|normal | ultra-condensed | extra-condensed | condensed | semi-condensed | semi-expanded | expanded | extra-expanded | ultra-expanded | <percentage[0]>
font-variant-caps|normal|i|normal | small-caps | all-small-caps | petite-caps | all-petite-caps | unicase | titling-caps
font-variant-ligatures font-variant-numeric font-variant-east-asian font-variant-alternates font-variant-position font-variant-emoji|normal|i|<any>+
font-kerning|auto|i|auto | normal | none
font-optical-sizing|auto|i|auto | none
font-size-adjust|none|i|none | <number[0]> | from-font
font-feature-settings font-variation-settings|normal|i|normal | [ <string> [ <number> | on | off ]? ]#
font-language-override|normal|i|normal | <string>
line-height|normal|i|normal | <number[0]> | <length-percentage[0]>
letter-spacing word-spacing|normal|i|normal | <length-percentage>
text-align|start|i|start | end | left | right | center | justify | match-parent | justify-all | -webkit-center | -webkit-left | -webkit-right
text-align-last|auto|i|auto | start | end | left | right | center | justify | match-parent
text-indent|0px|i|<length-percentage> && hanging? && each-line?
text-transform|none|i|none | [ capitalize | uppercase | lowercase ] || full-width || full-size-kana | math-auto
text-decoration-line|none||none | underline || overline || line-through || blink
text-decoration-style|solid||solid | double | dotted | dashed | wavy
text-decoration-thickness|auto||auto | from-font | <length-percentage>
text-underline-offset|auto|i|auto | <length-percentage>
text-underline-position|auto|i|auto | from-font || [ under || [ left | right ] ]
text-overflow|clip||[ clip | ellipsis | <string> ]{1,2}
text-rendering|auto|i|auto | optimizespeed | optimizelegibility | geometricprecision
text-wrap-mode|wrap|i|wrap | nowrap
text-wrap-style|auto|i|auto | balance | stable | pretty
white-space|normal|i|normal | pre | nowrap | pre-wrap | pre-line | break-spaces
white-space-collapse|collapse|i|collapse | preserve | preserve-breaks | preserve-spaces | break-spaces
word-break|normal|i|normal | break-all | keep-all | break-word | auto-phrase
overflow-wrap word-wrap|normal|i|normal | break-word | anywhere
line-break|auto|i|auto | loose | normal | strict | anywhere
hyphens -webkit-hyphens|manual|i|none | manual | auto
hyphenate-character|auto|i|auto | <string>
tab-size|8|i|<number[0]> | <length[0]>
vertical-align|baseline||baseline | sub | super | top | text-top | middle | bottom | text-bottom | <length-percentage>
direction|ltr|i|ltr | rtl
unicode-bidi|normal||normal | embed | isolate | bidi-override | isolate-override | plaintext
writing-mode|horizontal-tb|i|horizontal-tb | vertical-rl | vertical-lr | sideways-rl | sideways-lr
text-orientation|mixed|i|mixed | upright | sideways
list-style-type|disc|ic|none | <string> | <custom-ident> | symbols()
list-style-position|outside|i|inside | outside
list-style-image|none|i|none | <image>
quotes|auto|i|auto | none | [ <string> <string> ]+
content|normal||normal | none | [ <string> | <image> | counter() | counters() | attr() | open-quote | close-quote | no-open-quote | no-close-quote ]+ [ / [ <string> | counter() | counters() | attr() ]+ ]?
counter-reset counter-increment counter-set|none|c|none | [ <custom-ident> <integer>? ]+
border-collapse|separate|i|collapse | separate
border-spacing|0px|i|<length[0]>{1,2}
caption-side|top|i|top | bottom
empty-cells|show|i|show | hide
table-layout|auto||auto | fixed
flex-direction|row||row | row-reverse | column | column-reverse
flex-wrap|nowrap||nowrap | wrap | wrap-reverse
flex-grow|0||<number[0]>
flex-shrink|1||<number[0]>
flex-basis|auto||auto | content | <size>
justify-content|normal||normal | space-between | space-around | space-evenly | stretch | [ safe | unsafe ]? [ center | start | end | flex-start | flex-end | left | right ]
align-content|normal||normal | [ first | last ]? baseline | space-between | space-around | space-evenly | stretch | [ safe | unsafe ]? [ center | start | end | flex-start | flex-end ]
align-items justify-items|normal||normal | stretch | [ first | last ]? baseline | [ safe | unsafe ]? [ center | start | end | self-start | self-end | flex-start | flex-end | left | right | anchor-center ] | legacy && [ left | right | center ]?
align-self justify-self|auto||auto | normal | stretch | [ first | last ]? baseline | [ safe | unsafe ]? [ center | start | end | self-start | self-end | flex-start | flex-end | left | right | anchor-center ]
row-gap column-gap|normal||normal | <length-percentage[0]>
column-count|auto||auto | <integer[1]>
column-width|auto||auto | <length[0]>
column-fill|balance||auto | balance | balance-all
column-span|none||none | all
break-before break-after break-inside page-break-before page-break-after page-break-inside|auto||auto | avoid | always | all | avoid-page | page | left | right | recto | verso | avoid-column | column | avoid-region | region
orphans widows|2|i|<integer[1]>
object-fit|fill||fill | contain | cover | none | scale-down
object-position|50% 50%||<position>
image-rendering|auto|i|auto | smooth | high-quality | pixelated | crisp-edges | -webkit-optimize-contrast
image-orientation|from-image|i|from-image | none
isolation|auto||auto | isolate
transform -webkit-transform|none||none | <transform-function>+
transform-origin perspective-origin|50% 50%||[ left | center | right | <length-percentage> ] [ top | center | bottom | <length-percentage> ]? <length>? | [ top | bottom ] [ left | center | right ]? <length>?
transform-box|view-box||content-box | border-box | fill-box | stroke-box | view-box
transform-style|flat||flat | preserve-3d
perspective|none||none | <length[0]>
backface-visibility|visible||visible | hidden
translate|none||none | <length-percentage> [ <length-percentage> <length>? ]?
scale|none||none | [ <number> | <percentage> ]{1,3}
rotate|none||none | <angle> | [ x | y | z | <number>{3} ] && <angle>
filter backdrop-filter|none||none | [ <filter-function> | <url> ]+
transition-property|all|c|none | <custom-ident>#
transition-duration|0s||<time[0]>#
transition-delay animation-delay|0s||<time>#
transition-timing-function animation-timing-function|ease||<easing-function>#
transition-behavior|normal||[ normal | allow-discrete ]#
animation-name|none|c|[ none | <string> | <custom-ident> ]#
animation-duration|0s||[ auto | <time[0]> ]#
animation-iteration-count|1||[ infinite | <number[0]> ]#
animation-direction|normal||[ normal | reverse | alternate | alternate-reverse ]#
animation-fill-mode|none||[ none | forwards | backwards | both ]#
animation-play-state|running||[ running | paused ]#
animation-composition|replace||[ replace | add | accumulate ]#
will-change|auto|c|auto | <custom-ident>#
contain|none||none | strict | content | [ size | inline-size ] || layout || style || paint
content-visibility|visible||visible | auto | hidden
container-type|normal||normal | size | inline-size
container-name|none|c|none | <custom-ident>+
scroll-behavior|auto||auto | smooth
scroll-snap-type|none||none | [ x | y | block | inline | both ] [ mandatory | proximity ]?
scroll-snap-align|none||[ none | start | end | center ]{1,2}
scroll-snap-stop|normal||normal | always
scrollbar-width|auto||auto | thin | none
scrollbar-color|auto|i|auto | <color>{2}
scrollbar-gutter|auto||auto | stable && both-edges?
color-scheme|normal|ic|normal | [ light | dark | <custom-ident> ]+ && only?
forced-color-adjust print-color-adjust|auto|i|auto | none | economy | exact | preserve-parent-color
fill stroke|none|i|none | context-fill | context-stroke | <color> | <url> [ none | <color> ]?
fill-opacity stroke-opacity stop-opacity flood-opacity|1||<number> | <percentage>
stop-color flood-color|black||<color>
lighting-color|white||<color>
stroke-width|1px|i|<length-percentage[0]> | <number[0]>
stroke-linecap|butt|i|butt | round | square
stroke-linejoin|miter|i|miter | miter-clip | round | bevel | arcs
stroke-miterlimit|4|i|<number[0]>
stroke-dasharray|none|i|none | [ <length-percentage[0]> | <number[0]> ]#
stroke-dashoffset|0px|i|<length-percentage> | <number>
fill-rule clip-rule|nonzero|i|nonzero | evenodd
shape-rendering|auto|i|auto | optimizespeed | crispedges | geometricprecision
text-anchor|start|i|start | middle | end
dominant-baseline|auto|i|auto | text-bottom | alphabetic | ideographic | middle | central | mathematical | hanging | text-top
zoom|1||normal | reset | <number[0]> | <percentage[0]>
grid-template-columns grid-template-rows grid-template-areas|none|c|<any>+
grid-auto-columns grid-auto-rows|auto||<any>+
grid-auto-flow|row||[ row | column ] || dense
grid-row-start grid-row-end grid-column-start grid-column-end|auto|c|auto | <custom-ident> | [ <integer> && <custom-ident>? ] | span && [ <integer> || <custom-ident> ]
mask mask-position mask-origin mask-clip mask-mode mask-composite mask-type offset offset-path offset-distance offset-rotate offset-anchor offset-position shape-outside shape-margin shape-image-threshold text-emphasis-style page size src unicode-range font-display ruby-align ruby-position text-combine-upright text-justify hanging-punctuation initial-letter interpolate-size timeline-scope view-transition-name font-synthesis font-palette math-style math-depth anchor-name position-anchor field-sizing vector-effect marker-start marker-mid marker-end paint-order color-interpolation color-interpolation-filters alignment-baseline baseline-shift x y cx cy r rx ry d speak -webkit-font-smoothing -webkit-tap-highlight-color -webkit-overflow-scrolling -webkit-text-stroke-width -webkit-line-clamp -webkit-box-orient -webkit-box-flex -webkit-box-align -webkit-box-pack -webkit-text-size-adjust text-size-adjust -moz-osx-font-smoothing -webkit-mask-image -webkit-box-shadow -webkit-transition -webkit-animation -webkit-background-clip -moz-user-select -ms-user-select -ms-transform -moz-appearance|auto|c|<any>+
`;

const properties = new Map();
for (const line of table.trim().split("\n")) {
    const [names, initial, flags, ...syntax] = line.split("|");
    for (const name of names.split(" ")) {
        properties.set(name, { name, initial, isInherited: flags.includes("i"), keepsCase: flags.includes("c"), syntax: syntax.join("|") });
    }
}

/** What is known of a longhand; undefined of other names. */
export const property = (name) => properties.get(name);
export const longhandNames = () => properties.keys();

export const isWide = (text) => /^(?:initial|inherit|unset|revert|revert-layer)$/i.test(text);

const colors = /<color>|<image>|<shadow>/;
const zeroless = /<number|<integer|<any>/;
const optionsOf = new Map();

/** How the values of a longhand are written. */
export function optionsFor({ name, syntax, keepsCase }) {
    if (!optionsOf.has(name)) optionsOf.set(name, { colors: colors.test(syntax), keepsCase, zero: !zeroless.test(syntax) });
    return optionsOf.get(name);
}

/** The component values of a declaration, or null if no property can have them. */
export function valuesOf(written) {
    const values = trimmed(componentValues(written));
    if (values.length === 0 || some(values, ({ type }) => type === "bad" || type === "at" || type === "comment")) return null;
    return values.some(({ type, value, open }) => type === "semicolon" || (type === "delim" && value === "!") || (type === "block" && open === "{")) ? null : values;
}

const cases = { "aspect-ratio": (written) => (/^(?:auto )?[\d.]+$/.test(written) ? `${written} / 1` : written) };

/** The value of a longhand as it is kept, or null if the property cannot have it. */
export function longhandValue(known, values, source) {
    if (hasVariables(values)) return source.trim();
    if (values.length === 1 && values[0].type === "ident" && isWide(values[0].value)) return values[0].value.toLowerCase();
    const dense = values.filter(({ type }) => type !== "space");
    if (!isMatch(known.syntax, dense)) return null;
    const written = text(values, undefined, optionsFor(known));
    return cases[known.name]?.(written) ?? shortened(known, written);
}

// Repeated parts that the shortest text omits.
const twins = /^(?:border-(?:top|bottom|start|end)-(?:left|right|start|end)-radius|border-spacing|border-image-(?:slice|width|outset|repeat))$/;
const repeats = { "repeat no-repeat": "repeat-x", "no-repeat repeat": "repeat-y" };
function shortened({ name }, written) {
    if (name === "background-repeat") {
        return written.split(", ").map((part) => repeats[part] ?? part.replace(/^(\S+) \1$/, "$1")).join(", ");
    }
    if (name === "background-size") return written.split(", ").map((part) => part.replace(/ auto$/, "")).join(", ");
    return twins.test(name) ? written.replace(/^(\S+) \1$/, "$1") : written;
}

"""Whether everybody can use a page: axe-core's rules, the size of what is tapped, and the contrast of every text.

Contrast is that of WCAG 2.2, success criterion 1.4.3.
"""

THEMES = [
    {"theme": theme, "contrast": contrast, "suits": suits}
    for theme, contrast, suits in [
        ("light", "normal", "four"),
        ("dark", "normal", "two"),
        ("light", "high", "four"),
        ("dark", "normal", "four"),
        ("light", "normal", "two"),
    ]
]
USE = (
    "async (options) => (await axe.run(document, options)).violations.map((each) => "
    "`${each.id}: ${each.nodes.map((node) => node.target.join(' ')).join(', ')}`)"
)
AXE_OPTIONS = {"resultTypes": ["violations"], "rules": {"color-contrast": {"enabled": False}}}
"""Contrast is measured by `LOW_CONTRAST`, which also sees gradients."""
SMALL_TARGETS = """(least) => {
    const root = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;
    const found = [];
    for (const target of root.querySelectorAll("button, a[href], input, select, summary")) {
        const box = (target.closest("label") ?? target).getBoundingClientRect();
        const side = target.closest(".keys") ? box.height : Math.min(box.width, box.height); // ten keys in a row
        if (!box.width || side > least - 0.1 || !target.checkVisibility()) continue;
        if (target.closest("#lying, #counting .cards, [inert]")) continue;
        const name = target.textContent || target.ariaLabel;
        found.push(`small: ${Math.round(box.width)} x ${Math.round(box.height)} ${target.id} ${name}`);
    }
    return found;
}"""
"""What is tapped and is smaller than so many px. Cards that lie can be corrected from the menu, too."""
LEAST_TARGET_PX = 48
SET = "(settings) => Object.assign(document.documentElement.dataset, settings)"

LOW_CONTRAST = """() => {
    const context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 })
        .getContext("2d", { willReadFrequently: true });
    const known = new Map();
    const parsed = (colour) => {
        if (!known.has(colour)) {
            context.clearRect(0, 0, 1, 1);
            context.fillStyle = colour;
            context.fillRect(0, 0, 1, 1);
            const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
            known.set(colour, [r, g, b, a / 255]);
        }
        return known.get(colour);
    };
    const mix = (below, above, share) => below.map((part, i) => part * (1 - share) + above[i] * share);
    const over = (below, colour) => mix(below, colour.slice(0, 3), colour[3]);
    const channel = (part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
    const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const ratio = (one, two) => {
        const [dark, light] = [luminance(one), luminance(two)].sort((a, b) => a - b);
        return (light + 0.05) / (dark + 0.05);
    };
    const COLOUR = /(?:rgba?|color)\\([^()]*\\)/g; // the stops of a gradient: the worst one counts

    // The lowest contrast of a text of this colour in `element`, over every stop of every gradient behind it.
    function lowest(element, colour) {
        const chain = [];
        for (let each = element; each; each = each.parentElement) {
            chain.unshift(getComputedStyle(each));
            if (each.matches(".seat.turn")) chain.splice(1, 0, getComputedStyle(each, "::before")); // the light
        }
        let paths = [[[255, 255, 255]]]; // the colour below each element of the chain
        for (const style of chain) {
            const flat = parsed(style.backgroundColor);
            const stops = (style.backgroundImage.match(COLOUR) ?? ["transparent"]).map(parsed);
            paths = paths.flatMap((path) => stops.map((stop) => [...path, over(over(path.at(-1), flat), stop)]));
        }
        return Math.min(...paths.map((path) => {
            let ground = path.at(-1), text = over(ground, parsed(colour));
            for (let i = chain.length - 1; i >= 0; i -= 1) {
                const share = Number(chain[i].opacity);
                if (share < 1) [ground, text] = [mix(path[i], ground, share), mix(path[i], text, share)];
            }
            return ratio(ground, text);
        }));
    }

    const low = [];
    let measured = 0;
    const dialog = [...document.querySelectorAll("dialog[open]")].at(-1);
    for (const element of (dialog ?? document.body).querySelectorAll("*")) {
        const own = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent);
        const text = own.join("").trim() || (element.tagName === "INPUT" && element.value)
            || (element.matches("svg.suit") && "suit");
        if (!text || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
        const box = element.getBoundingClientRect();
        if (box.width < 2 || box.height < 2 || element.closest(".unseen, button:disabled, body.offline main")) continue;
        const style = getComputedStyle(element);
        const px = parseFloat(style.fontSize);
        const large = px >= 24 || (px >= 18.66 && Number(style.fontWeight) >= 700);
        const found = lowest(element, element.matches("svg.suit") ? style.fill : style.color);
        measured += 1;
        if (found < (large ? 3 : 4.5) - 0.01)
            low.push(`${found.toFixed(2)} ${element.outerHTML.slice(0, 60)} ${px}px ${text.slice(0, 30)}`);
    }
    return [low, measured];
}"""

"""What does not fit on a page, measured in the browser: boxes outside the window, small, cut or overlapping texts."""

UNREACHABLE = """() => {
    const found = new Set();
    const sheets = [...document.querySelectorAll("dialog[open]")];
    const root = sheets.at(-1) ?? document.querySelector(".start, main:not([hidden])");
    const lines = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const element = node.parentElement;
        if (!node.textContent.trim() || element.closest(".unseen, svg, select") || !element.checkVisibility()) continue;
        const size = parseFloat(getComputedStyle(element).fontSize);
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const box of range.getClientRects()) {
            const middle = (box.top + box.bottom) / 2;
            const line = { left: box.left, right: box.right, top: middle - size * 0.35, bottom: middle + size * 0.35 };
            let wide = [0, innerWidth], high = [0, innerHeight], ellipsis = false, floats = false;
            for (let around = element; around; around = around.parentElement) {
                const style = getComputedStyle(around), edge = around.getBoundingClientRect();
                ellipsis ||= style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
                floats ||= ["sticky", "absolute"].includes(style.position);
                if (["auto", "scroll"].includes(style.overflowY)) high = null;
                else if (style.overflowY !== "visible" && high) high = [edge.top, edge.bottom];
                if (style.overflowX !== "visible" && wide) wide = [edge.left, edge.right];
                if (!high) {
                    if (around !== root) line.bottom = Math.min(line.bottom, edge.bottom);
                    break;
                }
            }
            const beside = Math.max(wide[0] - line.left, line.right - wide[1]);
            const below = high ? Math.max(high[0] - line.top, line.bottom - high[1]) : 0;
            if (!ellipsis && (beside > 2 || below > 2)) found.add(`cut: ${node.textContent.trim()}`);
            if (!floats && !ellipsis) lines.push({ ...line, node });
        }
    }
    lines.forEach((one, number) => lines.slice(number + 1).forEach((two) => {
        const across = Math.min(one.right, two.right) - Math.max(one.left, two.left);
        const down = Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top);
        if (one.node !== two.node && across > 2 && down > 2)
            found.add(`over each other: ${one.node.textContent} / ${two.node.textContent}`);
    }));
    for (const box of [document.documentElement, document.body, root, ...root.querySelectorAll("*")])
        if (box.scrollWidth > box.clientWidth + 2 && /auto|scroll/.test(getComputedStyle(box).overflowX))
            found.add(`scrolls sideways: ${box.tagName} ${box.id} ${box.className}`);
    return [...found];
}"""
"""What cannot be read on a page that may scroll downwards: texts that are cut or hidden, and what scrolls sideways."""

FAULTS = """(least) => {
    const found = new Set();
    const main = document.querySelector("main:not([hidden])");
    const name = (element) => `${element.tagName} ${element.id} ${element.className}`;
    for (const element of main.querySelectorAll("*")) {
        const box = element.getBoundingClientRect();
        if (!box.width || !box.height || element.closest("svg") || element.closest("#games")) continue;
        if (box.right > innerWidth + 1 || box.bottom > innerHeight + 1 || box.left < -1 || box.top < -1)
            found.add(`outside: ${name(element)} ${element.textContent.slice(0, 20)}`);
        const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
        const size = parseFloat(getComputedStyle(element).fontSize);
        if (least && text && size < least && !element.closest(".card, .strip, .unseen, .fit"))
            found.add(`small: ${name(element)} ${size}`);
    }

    // The lines of every text, without their leading, as far as they are not cut off with an ellipsis.
    const lines = [];
    const result = main.querySelector("#result:not([hidden])");
    const walker = document.createTreeWalker(result ?? main, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const element = node.parentElement;
        if (!node.textContent.trim() || element.closest(".unseen, #news, .gain, #games, svg")) continue;
        if (element.closest(".led, .run, .stake")) continue;
        if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
        const size = parseFloat(getComputedStyle(element).fontSize);
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const box of range.getClientRects()) {
            const middle = (box.top + box.bottom) / 2;
            const line = { left: box.left, right: box.right, top: middle - size * 0.35, bottom: middle + size * 0.35 };
            let ellipsis = false, clamped = false;
            for (let around = element; around; around = around.parentElement) {
                const style = getComputedStyle(around);
                if (style.overflowX === "visible" && style.overflowY === "visible") continue;
                ellipsis ||= style.textOverflow === "ellipsis";
                clamped ||= style.webkitLineClamp !== "none";
                const edge = around.getBoundingClientRect();
                const wide = ellipsis || clamped ? 0 : Math.max(edge.left - line.left, line.right - edge.right);
                const high = clamped ? 0 : Math.max(edge.top - line.top, line.bottom - edge.bottom);
                const cut = Math.max(wide, high);
                if (cut > 1) found.add(`cut by ${Math.round(cut)}: ${name(element)}: ${node.textContent}`);
                line.left = Math.max(line.left, edge.left);
                line.right = Math.min(line.right, edge.right);
                line.top = Math.max(line.top, edge.top);
                line.bottom = Math.min(line.bottom, edge.bottom);
            }
            lines.push({ ...line, node, text: `${name(element)}: ${node.textContent}` });
        }
    }
    lines.forEach((one, number) => lines.slice(number + 1).forEach((two) => {
        const wide = Math.min(one.right, two.right) - Math.max(one.left, two.left);
        const high = Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top);
        if (one.node !== two.node && wide > 2 && high > 2) found.add(`over each other: ${one.text} / ${two.text}`);
    }));
    // Cards in a run or a stake are fanned.
    const cards = [...main.querySelectorAll("#lying .card")]
        .filter((card) => card.offsetWidth && !card.closest(".run, .stake"));
    const boxes = [...main.querySelectorAll("#news"), ...cards].map((card) => [card, card.getBoundingClientRect()]);
    boxes.forEach(([one, a], number) => boxes.slice(number + 1).forEach(([two, b]) => {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 2 && high > 2) found.add(`one lies on the other: ${one.textContent} / ${two.textContent}`);
    }));
    const games = main.querySelector("#games");
    for (const game of games?.children ?? [])
        if (game.scrollWidth > game.clientWidth + 1 || game.scrollHeight > game.clientHeight + 1)
            found.add(`cut: ${game.textContent}`);
    if (document.documentElement.scrollHeight > innerHeight || document.documentElement.scrollWidth > innerWidth)
        found.add("the page scrolls");
    return [...found];
}"""

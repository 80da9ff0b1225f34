"""What does not fit on a page, boxes outside the window; small, cut or covered texts, and cards."""

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
        if (element.closest(".sure")) continue; // what asks again covers the rail
        if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
        const size = parseFloat(getComputedStyle(element).fontSize);
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const box of range.getClientRects()) {
            const middle = (box.top + box.bottom) / 2;
            const line = { left: box.left, right: box.right, top: middle - size * 0.35, bottom: middle + size * 0.35 };
            let ellipsis = false, clamped = false, most = 0;
            for (let around = element; around; around = around.parentElement) {
                const style = getComputedStyle(around);
                if (style.overflowX === "visible" && style.overflowY === "visible") continue;
                ellipsis ||= style.textOverflow === "ellipsis";
                clamped ||= style.webkitLineClamp !== "none";
                const edge = around.getBoundingClientRect();
                const wide = ellipsis || clamped ? 0 : Math.max(edge.left - line.left, line.right - edge.right);
                const high = clamped ? 0 : Math.max(edge.top - line.top, line.bottom - edge.bottom);
                most = Math.max(most, wide, high);
                line.left = Math.max(line.left, edge.left);
                line.right = Math.min(line.right, edge.right);
                line.top = Math.max(line.top, edge.top);
                line.bottom = Math.min(line.bottom, edge.bottom);
            }
            const text = `${name(element)}: ${node.textContent}`;
            if (element.closest(".now") && line.top >= line.bottom) continue;  // left out whole
            if (most > 1) found.add(`cut by ${Math.round(most)}: ${text}`);
            lines.push({ ...line, node, element, text });
        }
    }
    lines.forEach((one, number) => lines.slice(number + 1).forEach((two) => {
        const wide = Math.min(one.right, two.right) - Math.max(one.left, two.left);
        const high = Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top);
        if (one.node !== two.node && wide > 2 && high > 2) found.add(`over each other: ${one.text} / ${two.text}`);
    }));
    // Nothing lies over a text, or over the index of a card, but a sheet, and what asks again.
    const paints = (each) => main.contains(each) && !each.matches(".sure")
        && (each.matches(".seat.turn, button, svg") || !each.matches("img")
            && !/^rgba\\(.*, 0\\)$/.test(getComputedStyle(each).backgroundColor));
    const over = (element, x, y) => {
        const stack = document.elementsFromPoint(x, y);
        const below = stack.findIndex((each) => each.contains(element) || element.contains(each));
        const above = stack.slice(0, Math.max(below, 0)).find(paints);
        return above && name(above);
    };
    for (const { left, right, top, bottom, element, text } of lines)
        for (const x of right - left > 4 ? [left + 2, right - 2] : []) {
            const above = over(element, x, (top + bottom) / 2);
            if (above) found.add(`covered by ${above}: ${text}`);
        }
    for (const part of main.querySelectorAll(":is(#lying, #counting) .card :is(i, .pip)")) {
        const { left, right, top, bottom, width } = part.getBoundingClientRect();
        const above = width && !result && over(part.closest(".card"), (left + right) / 2, (top + bottom) / 2);
        if (above) found.add(`covered by ${above}: ${part.closest(".card").ariaLabel}`);
    }
    const cards = [...main.querySelectorAll("#lying .card")].filter((card) => card.offsetWidth);
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

SHEET_FAULTS = """() => {
    const sheet = [...document.querySelectorAll("dialog[open]")].at(-1);
    if (document.documentElement.scrollWidth > innerWidth) return ["the page scrolls sideways"];
    if (!sheet) return [];
    const edge = sheet.getBoundingClientRect();
    const scrolls = (element) => element !== sheet && element.scrollWidth > element.clientWidth
        && getComputedStyle(element).overflowX === "auto";
    const found = [...sheet.querySelectorAll("*")].filter((element) => {
        const box = element.getBoundingClientRect();
        if (box.left > edge.left - 1 && box.right < edge.right + 1) return false;
        for (let each = element; each !== sheet; each = each.parentElement) if (scrolls(each)) return false;
        return box.width && element.checkVisibility() && !element.closest("svg, .unseen");
    }).map((element) => `beside the sheet: ${element.outerHTML.slice(0, 80)}`);
    const inside = edge.left > -1 && edge.top > -1 && edge.right < innerWidth + 1 && edge.bottom < innerHeight + 1;
    return inside ? found : ["the sheet is outside", ...found];
}"""
"""What is wider than the sheet that is open, or than the page; a part may scroll sideways."""

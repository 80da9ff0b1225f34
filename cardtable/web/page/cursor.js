// Hides the pointer on the table's own display while no mouse moves: a touch screen has none.

const SHOWN = 3000; // ms

if (["127.0.0.1", "localhost", "[::1]"].includes(location.hostname)) {
  const rule = new CSSStyleSheet();
  rule.replaceSync(".still, .still * { cursor: none !important; }");
  document.adoptedStyleSheets.push(rule);
  let hiding = 0;
  const hide = () => document.documentElement.classList.add("still");
  const show = (event) => {
    if (event.pointerType !== "mouse") return;
    document.documentElement.classList.remove("still");
    clearTimeout(hiding);
    hiding = setTimeout(hide, SHOWN);
  };
  addEventListener("pointermove", show);
  hiding = setTimeout(hide, SHOWN);
}

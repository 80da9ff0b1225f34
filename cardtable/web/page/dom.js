// Helpers for the document. Texts are inserted as text nodes, never as HTML, because names come from people.

export const $ = (id) => document.getElementById(id);

// Creates an element. Null and false attributes are left out; "on..." are event listeners. Buttons do not submit.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  if (tag === "button") element.type = "button";
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style")
      for (const [key, setting] of Object.entries(value)) element.style.setProperty(key, setting);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const drawn = new Map();

// Redraws a region only if `value` has changed, so that a button does not disappear while it is pressed. The keyboard's
// focus stays on the element with the same name.
export function region(id, value, draw) {
  const text = JSON.stringify(value);
  if (drawn.get(id) === text) return false;
  drawn.set(id, text);
  const box = $(id);
  const focused =
    box.contains(document.activeElement) && box !== document.activeElement ? named(document.activeElement) : null;
  const at = focused === null ? -1 : focusable(box).indexOf(document.activeElement);
  box.replaceChildren(...draw(value).filter((child) => child != null));
  if (focused !== null)
    (
      focusable(box).find((element) => named(element) === focused) ??
      focusable(box)[at] ??
      box.closest("main")
    )?.focus();
  return true;
}

const named = (element) => element.getAttribute("aria-label") ?? element.textContent;
const focusable = (box) => [...box.querySelectorAll("button:enabled, input:enabled, [tabindex]")];

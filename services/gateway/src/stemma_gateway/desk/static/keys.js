// One key for each verb: an element with data-key is followed, pressed or opened; j and k go through the rows.
// Keys can have changed places: in pairs, what a key does by default, and the one that does it now.
const moved = [...(document.documentElement.dataset.moved ?? "")];
const pairs = moved.flatMap((key, place) => (place % 2 ? [] : [[key, moved[place + 1]]]));
const now = new Map(pairs);
const meant = new Map(pairs.map(([key, by]) => [by, key]));
window.keyOf = ({ key }) => meant.get(key) ?? key;

function showMoved() {
  for (const each of document.querySelectorAll("kbd")) {
    each.dataset.meant ??= each.textContent;
    each.textContent = now.get(each.dataset.meant) ?? each.dataset.meant;
  }
}

showMoved();
for (const name of ["renewed", "loaded"]) document.addEventListener(name, showMoved);
const typing = (target) => target.closest("input, textarea, select, [contenteditable]");

function step(by) {
  const rows = [...document.querySelectorAll("[data-row]")];
  const next = rows.indexOf(document.activeElement) + by;
  rows[Math.max(0, Math.min(next, rows.length - 1))]?.focus();
}

function press(element) {
  if (typing(element)) return element.focus();
  const details = element.closest("summary")?.parentElement;
  if (!details) return element.click();
  for (let each = details; each; each = each.parentElement.closest("details")) each.open = true;
  details.querySelector("textarea, select, input:not([type=hidden])")?.focus();
}

function send(event) {
  const [target] = event.composedPath();
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || !target.matches("textarea")) return;
  event.preventDefault();
  const buttons = [...(target.form?.querySelectorAll("button:not([type=button])") ?? [])];
  buttons.find((each) => each.checkVisibility())?.click();
}

addEventListener("keydown", send);
addEventListener("keydown", (event) => {
  if (document.documentElement.dataset.keys === "off") return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (document.querySelector("dialog[open]")) return;
  const [target] = event.composedPath();
  if (typing(target) && !["checkbox", "radio"].includes(target.type)) {
    if (event.key === "Escape") target.blur();
    return;
  }
  const key = keyOf(event);
  if (key === "j" || key === "k") return step(key === "j" ? 1 : -1);
  // Of several parts of a page, keys are those of the current one.
  const keyed = [...document.querySelectorAll(`[data-key="${CSS.escape(key)}"]`)];
  const element = keyed.find((each) => !each.closest("[data-scope]:not([data-current])"));
  if (!element) return;
  event.preventDefault();
  press(element);
});

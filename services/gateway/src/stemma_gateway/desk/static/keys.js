// One key for each verb: an element with data-key is followed, pressed or opened; j and k go through the rows.
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
  if (event.key === "j" || event.key === "k") return step(event.key === "j" ? 1 : -1);
  // Of several parts of a page, keys are those of the current one.
  const keyed = [...document.querySelectorAll(`[data-key="${CSS.escape(event.key)}"]`)];
  const element = keyed.find((each) => !each.closest("[data-scope]:not([data-current])"));
  if (!element) return;
  event.preventDefault();
  press(element);
});

// All rows of the page at once, the row that has the focus by a verb's key alone, and back to the row that was decided.
const form = () => document.querySelector("[data-rows]");
const boxes = () => [...(form()?.querySelectorAll('[name="row"]') ?? [])];

function show() {
  const all = document.querySelector("[data-all]");
  if (all) all.closest("label").hidden = false;
}

function tickFocused() {
  const box = document.activeElement.closest?.("tr")?.querySelector('[name="row"]');
  if (box && !boxes().some((each) => each.checked)) box.checked = true;
}

show();
document.addEventListener("renewed", show);
document.addEventListener("change", ({ target }) => {
  if (target.matches("[data-all]")) boxes().forEach((box) => (box.checked = target.checked));
});
addEventListener("keydown", (event) => {
  const typing = event.target.closest('select, textarea, input:not([type="checkbox"])');
  if (!typing && form()?.querySelector(`.bulk [data-key="${CSS.escape(keyOf(event))}"]`)) tickFocused();
}, { capture: true });
if (form()) document.getElementById(location.hash.slice(1))?.focus();

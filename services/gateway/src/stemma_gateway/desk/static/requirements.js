// All rows of the page at once, the row that has the focus by a verb's key alone, and back to the row that was decided.
const form = document.querySelector("[data-rows]");
const boxes = () => [...form.querySelectorAll('[name="row"]')];

function everything() {
  const all = form.querySelector("[data-all]");
  all.closest("label").hidden = false;
  all.addEventListener("change", () => boxes().forEach((box) => (box.checked = all.checked)));
}

function tickFocused() {
  const box = document.activeElement.closest?.("tr")?.querySelector('[name="row"]');
  if (box && !boxes().some((each) => each.checked)) box.checked = true;
}

if (form) {
  everything();
  addEventListener("keydown", (event) => {
    const typing = event.target.closest('select, textarea, input:not([type="checkbox"])');
    if (!typing && form.querySelector(`.bulk [data-key="${CSS.escape(event.key)}"]`)) tickFocused();
  }, { capture: true });
  document.getElementById(location.hash.slice(1))?.focus();
}

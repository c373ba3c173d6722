// Single changes: y accepts and n takes back the one that has the focus, and goes on; what was chosen survives a reload.
const form = () => document.querySelector("[data-changes]");
const radios = () => [...form().querySelectorAll("input[type=radio]")];
const place = () => `changes/${form().dataset.changes}`;

function keep() {
  const chosen = radios().filter((each) => each.checked).map((each) => [each.name, each.value]);
  sessionStorage.setItem(place(), JSON.stringify(chosen));
}

function restore() {
  if (!form() || radios().some((each) => each.checked)) return;
  for (const [name, value] of JSON.parse(sessionStorage.getItem(place()) ?? "[]")) {
    const radio = radios().find((each) => each.name === name && each.value === value);
    if (radio) radio.checked = true;
  }
}

function choose(group, value) {
  const groups = [...form().querySelectorAll(".single")];
  group.querySelector(`[value="${value}"]`).checked = true;
  keep();
  (groups[groups.indexOf(group) + 1]?.querySelector("input") ?? form().querySelector("button")).focus();
}

restore();
document.addEventListener("renewed", restore);
document.addEventListener("change", ({ target }) => form()?.contains(target) && keep());
addEventListener("keydown", (event) => {
  const group = event.target.closest(".single");
  const value = { y: "accept", n: "back" }[keyOf(event)];
  if (!group || !value || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopPropagation();
  choose(group, value);
}, { capture: true });

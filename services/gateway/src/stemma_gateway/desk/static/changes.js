// Single changes: y accepts and n takes back the one that has the focus, and goes on; what was chosen survives a reload.
const form = document.querySelector("[data-changes]");
const { seen, version } = document.body.dataset;
const groups = [...(form?.querySelectorAll(".single") ?? [])];
const place = `changes/${seen}/${version}/${form?.elements.old?.value ?? form?.elements.proposal_id?.value}`;
const radios = () => [...form.querySelectorAll("input[type=radio]")];

function keep() {
  const chosen = radios().filter((each) => each.checked).map((each) => [each.name, each.value]);
  sessionStorage.setItem(place, JSON.stringify(chosen));
}

function restore() {
  if (radios().some((each) => each.checked)) return;
  for (const [name, value] of JSON.parse(sessionStorage.getItem(place) ?? "[]")) {
    const radio = radios().find((each) => each.name === name && each.value === value);
    if (radio) radio.checked = true;
  }
}

function choose(group, value) {
  group.querySelector(`[value="${value}"]`).checked = true;
  keep();
  (groups[groups.indexOf(group) + 1]?.querySelector("input") ?? form.querySelector("button")).focus();
}

if (form) {
  restore();
  form.addEventListener("change", keep);
  form.addEventListener("keydown", (event) => {
    const group = event.target.closest(".single");
    const value = { y: "accept", n: "back" }[event.key];
    if (!group || !value || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    choose(group, value);
  });
}

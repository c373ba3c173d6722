// Ctrl-K or "/": the search in a dialog. What is found is that of the page of the search, for the words typed so far.
const PAUSE_MS = 120;
const dialog = document.getElementById("finder");
const form = dialog.querySelector("form");
const field = form.elements.q;
const hits = () => [...dialog.querySelectorAll("[data-hits] a")];
let waiting = 0;
let looking = Promise.resolve();

function open() {
  if (dialog.open) return;
  dialog.showModal();
  field.select();
  looking = look();
}

async function look() {
  const query = new URLSearchParams(new FormData(form));
  const answer = await fetch(`${form.action}?${query}`, { headers: { Accept: "text/html" } }).catch(() => null);
  const page = new DOMParser().parseFromString(answer?.ok ? await answer.text() : "", "text/html");
  const found = page.querySelector("main [data-hits]");
  if (found && query.get("q") === field.value) dialog.querySelector("[data-hits]").replaceWith(found);
}

function lookSoon() {
  clearTimeout(waiting);
  looking = new Promise((over) => (waiting = setTimeout(over, PAUSE_MS))).then(look);
}

function step(by) {
  const all = [field, ...hits()];
  all[(all.indexOf(document.activeElement) + by + all.length) % all.length].focus();
}

addEventListener("keydown", (event) => {
  const isCtrlK = (event.ctrlKey || event.metaKey) && !event.altKey && event.key === "k";
  if (isCtrlK) event.preventDefault();
  if (isCtrlK) open();
});
document.querySelector("[data-search]").addEventListener("click", (event) => {
  event.preventDefault();
  open();
});
dialog.addEventListener("keydown", (event) => {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  step(by);
});
dialog.addEventListener("click", ({ target }) => (target === dialog || target.closest("a")) && dialog.close());
field.addEventListener("input", lookSoon);
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  await looking;
  const [first] = hits();
  dialog.close();
  location.assign(first?.href ?? `${form.action}?${new URLSearchParams(new FormData(form))}`);
});

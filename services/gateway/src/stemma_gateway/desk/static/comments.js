// Shows where comments stand, takes what is selected as the words of the next one, and keeps what is not sent yet.
const text = () => document.querySelector(".rendered");
const form = () => document.querySelector("[data-review]");
const letters = (words) => words.replace(/\s+/gu, "");

function signs() {
  const walker = document.createTreeWalker(text(), NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (let at = 0; at < node.length; at++) if (/\S/u.test(node.data[at])) found.push([node, at]);
  }
  return found;
}

function rangeOf(all, written, quote, line) {
  const block = [...text().querySelectorAll("[data-line]")].filter((each) => Number(each.dataset.line) <= line).at(-1);
  const start = written.indexOf(letters(quote), Math.max(0, all.findIndex(([node]) => block?.contains(node))));
  if (start < 0) return null;
  const [last, at] = all[start + letters(quote).length - 1];
  const range = new Range();
  range.setStart(...all[start]);
  range.setEnd(last, at + 1);
  return range;
}

function mark() {
  const threads = [...document.querySelectorAll("[data-quote]")];
  CSS.highlights?.delete("comments");
  if (!threads.length) return;
  const all = signs();
  const written = all.map(([node, at]) => node.data[at]).join("");
  const ranges = threads.map(({ dataset }) => rangeOf(all, written, dataset.quote, Number(dataset.at))).filter(Boolean);
  if (ranges.length && CSS.highlights) CSS.highlights.set("comments", new Highlight(...ranges));
}

function selected() {
  const selection = getSelection();
  if (selection.isCollapsed || !selection.rangeCount) return null;
  const range = selection.getRangeAt(0);
  if (!text().contains(range.commonAncestorContainer)) return null;
  const before = new Range();
  before.setStart(text(), 0);
  before.setEnd(range.startContainer, range.startOffset);
  return { quote: selection.toString().trim().slice(0, 2000), before: before.toString().slice(-200) };
}

const rows = () => [...form().querySelectorAll("fieldset")];
const field = (row, name) => row.querySelector(`[name="${name}"]`);
const NAMES = ["quote", "before", "text", "instead"];
const isEmpty = (row) => !NAMES.some((name) => field(row, name).value.trim());

function another() {
  const row = rows()[0].cloneNode(true);
  for (const each of row.querySelectorAll("textarea, input")) each.value = "";
  form().querySelector("[data-remarks]").append(row);
  return row;
}

function fill(row, words) {
  for (const [name, value] of Object.entries(words)) field(row, name).value = value;
}

let picked = null;

function begin() {
  const row = rows().find(isEmpty) ?? another();
  if (picked) fill(row, picked);
  picked = null;
  field(row, "text").focus();
  keep();
}

function keep() {
  const wordsOf = (row) => Object.fromEntries(NAMES.map((name) => [name, field(row, name).value]));
  const words = rows().filter((row) => !isEmpty(row)).map(wordsOf);
  if (words.length) localStorage.setItem(place, JSON.stringify(words));
  else localStorage.removeItem(place);
}

function quoted(area) {
  if (!picked || area.value) return;
  area.value = `> ${picked.quote.replace(/\s+/gu, " ")}\n\n`;
  picked = null;
}

const place = `comments/${form()?.dataset.review}`;

function restore() {
  const kept = JSON.parse(localStorage.getItem(place) ?? "[]");
  if (!rows().every(isEmpty) || !kept.length) return;
  form().closest("details").open = true;
  for (const words of kept) fill(rows().find(isEmpty) ?? another(), words);
}

// Also after the page was renewed under what is typed.
function show() {
  mark();
  if (!form()) return;
  restore();
  form().querySelector("[data-another]").hidden = false;
}

const isOpen = () => form()?.closest("details").open;
const isSummary = (target) => target.closest("summary")?.parentElement === (form()?.closest("details") ?? document);

if (form() && "sent" in form().dataset) localStorage.removeItem(place);
show();
document.addEventListener("renewed", show);
document.addEventListener("click", ({ target }) => {
  if (target.closest("[data-another]")) begin();
  else if (isSummary(target)) setTimeout(() => isOpen() && begin());
});
document.addEventListener("input", ({ target }) => form()?.contains(target) && keep());
document.addEventListener("pointerdown", ({ target }) => text().contains(target) && (picked = null));
document.addEventListener("selectionchange", () => (picked = selected() ?? picked));
addEventListener("keydown", () => (picked = selected() ?? picked), true); // the change may not have been told yet
document.addEventListener("focusin", ({ target }) => target.matches('[name="feedback"], [name="instruction"]') && quoted(target));
addEventListener("keydown", (event) => event.key === "c" && event.defaultPrevented && isOpen() && begin());

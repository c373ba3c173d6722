// Sets comments beside their words, takes what is selected as the words of the next one, and keeps what is not sent yet.
const WIDE = matchMedia("(min-width: 1000px)");
const GAP = 8;
const NAMES = ["quote", "before", "text", "instead"];
const letters = (words) => words.replace(/\s+/gu, "");
const spoken = (words) => words.replace(/[^\p{L}\p{N}]+/gu, ""); // also without what is Markdown in them
const parts = () => [...document.querySelectorAll("[data-beside]")];
const textOf = (part) => part.querySelector(".rendered");
const cardsOf = (part) => [...part.querySelectorAll("[data-card]")];
const formOf = (part) => part?.querySelector("[data-review]");
const rows = (form) => [...form.querySelectorAll("fieldset")];
const field = (row, name) => row.querySelector(`[name="${name}"]`);
const isEmpty = (row) => !NAMES.some((name) => field(row, name).value.trim());
const draftOf = (form) => `comments/${form.dataset.review}`;
const isShown = (each) => each.checkVisibility();

// Where words stand

function* textNodes(text, from) {
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  walker.currentNode = from ?? text;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) if (!node.parentElement.closest("[data-card]")) yield node;
}

function blockOf(text, line) {
  return [...text.querySelectorAll("[data-line]")].filter((each) => Number(each.dataset.line) <= line).at(-1);
}

// No more of a text is read than the block that the words begin in, and as much behind it as they are long.
function rangeOf(text, quote, line, before) {
  const wanted = letters(quote);
  const block = blockOf(text, line);
  const found = [];
  let behind = 0;
  for (const node of textNodes(text, block)) {
    for (let at = 0; at < node.length; at++) if (/\S/u.test(node.data[at])) found.push([node, at]);
    if (block && !block.contains(node) && (behind += node.length) > 2 * quote.length + 1000) break;
  }
  const start = wanted ? placeOf(wanted, found.map(([node, at]) => node.data[at]).join(""), spoken(before)) : -1;
  if (start < 0) return null;
  const [last, at] = found[start + wanted.length - 1];
  const range = new Range();
  range.setStart(...found[start]);
  range.setEnd(last, at + 1);
  return range;
}

// Of the places of a quotation, the one that most of the words before it stand before.
function placeOf(wanted, all, before) {
  const places = [];
  for (let at = all.indexOf(wanted); at >= 0; at = all.indexOf(wanted, at + 1)) places.push(at);
  if (places.length < 2) return places[0] ?? -1;
  const alike = (at) => {
    const here = spoken(all.slice(0, at));
    let same = 0;
    while (same < Math.min(before.length, here.length) && before.at(-1 - same) === here.at(-1 - same)) same++;
    return same;
  };
  const likeness = places.map(alike);
  return places[likeness.indexOf(Math.max(...likeness))];
}

function wordsBefore(text, range) {
  let words = "";
  for (const node of textNodes(text)) {
    if (node === range.startContainer) return words + node.data.slice(0, range.startOffset);
    if (range.comparePoint(node, 0) >= 0) return words;
    words += node.data;
  }
  return words;
}

function rangeOfCard(part, card) {
  const row = card.matches("details") && rows(card).findLast((each) => field(each, "quote").value);
  const typed = row && { quote: field(row, "quote").value, before: field(row, "before").value, at: row.dataset.at ?? Infinity };
  const { quote, at, before = "" } = typed || card.dataset;
  if (!quote) return null;
  return rangeOf(textOf(part), quote, Number(at), before) ?? (row ? rangeOf(textOf(part), quote, 0, before) : null);
}

// Beside the words, or on a narrow page below their paragraph

const ranges = new Map();

function arrange(part) {
  const margin = part.querySelector("[data-margin]");
  const quoting = [...part.querySelectorAll("[data-quote]:not([data-card])")];
  for (const each of quoting) ranges.set(each, rangeOf(textOf(part), each.dataset.quote, Number(each.dataset.at), ""));
  if (!margin) return;
  for (const card of cardsOf(part)) ranges.set(card, rangeOfCard(part, card));
  margin.classList.toggle("placed", WIDE.matches);
  if (WIDE.matches) setBeside(margin, cardsOf(part));
  else setBelow(part, margin, cardsOf(part));
}

// What has the focus keeps it where it is moved.
function move(card, put) {
  const focused = document.activeElement;
  put(card);
  if (card.contains(focused)) focused.focus({ preventScroll: true });
}

// Where a page has them that is put in the place of this one.
function takeHome({ target }) {
  for (const part of target.querySelectorAll("[data-beside]")) {
    const margin = part.querySelector("[data-margin]");
    const away = cardsOf(part).filter((each) => margin && each.parentElement !== margin);
    for (const card of away) move(card, (each) => margin.append(each));
  }
}

function setBeside(margin, cards) {
  for (const card of cards.filter((each) => each.parentElement !== margin)) move(card, (each) => margin.append(each));
  const top = margin.getBoundingClientRect().top;
  // What has no words in the text stands behind what has; what is being written, where it is seen.
  const elsewhere = (card) => (card.matches(".composing") ? Math.max(0, 2 * GAP - top) : Infinity);
  const wanted = (card) => (ranges.get(card) ? ranges.get(card).getBoundingClientRect().top - top : elsewhere(card));
  const sorted = cards.filter(isShown).map((card) => [wanted(card), card]).sort(([one], [other]) => (one === other ? 0 : one - other));
  let free = 0;
  for (const [y, card] of sorted) {
    const at = y === Infinity ? free : Math.max(y, free);
    card.style.top = `${at}px`;
    free = at + card.offsetHeight + GAP;
  }
  margin.style.minHeight = `${free}px`;
}

function setBelow(part, margin, cards) {
  const text = textOf(part);
  margin.style.minHeight = "";
  for (const card of cards) {
    const range = ranges.get(card);
    const block = range && [...text.children].find((each) => each.contains(range.startContainer));
    if (!block) {
      if (card.parentElement !== margin) move(card, (each) => margin.append(each));
      continue;
    }
    let last = block;
    while (last.nextElementSibling?.matches("[data-card]") && last !== card) last = last.nextElementSibling;
    if (last !== card) move(card, (each) => last.after(each));
  }
}

function mark() {
  const shown = [...ranges].filter(([each, range]) => each.isConnected && range && !each.matches("details"));
  for (const [name, found] of [["comments", shown], ["chosen", [...ranges].filter(([each]) => each === chosen)]]) {
    const all = found.map(([, range]) => range).filter(Boolean);
    CSS.highlights?.delete(name);
    if (all.length) CSS.highlights?.set(name, new Highlight(...all));
  }
}

const changed = new Set();

function arrangeSoon(part) {
  if (!changed.size) requestAnimationFrame(arrangeChanged);
  changed.add(part);
}

function arrangeChanged() {
  for (const part of changed) if (part?.isConnected) arrange(part);
  changed.clear();
  mark();
}

function arrangeAll() {
  ranges.clear();
  parts().forEach(arrange);
  mark();
}

const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => arrangeSoon(target.closest("[data-beside]"))));
const observed = new WeakSet();

function observe(part) {
  for (const each of [textOf(part), ...cardsOf(part)].filter((one) => !observed.has(one))) {
    observed.add(each);
    sizes.observe(each);
  }
}

let chosen = null;

function choose(card) {
  chosen?.classList.remove("chosen");
  chosen = card;
  chosen?.classList.add("chosen");
  mark();
}

function cardAt({ clientX, clientY }) {
  const at = document.caretPositionFromPoint?.(clientX, clientY);
  const holds = ([card, range]) => card.isConnected && card.matches("[data-card]") && range?.isPointInRange(at.offsetNode, at.offset);
  return at && [...ranges].find(holds)?.[0];
}

// What is selected

let picked = null;

// Cards may stand between the words of a narrow page.
function wordsIn(range) {
  const { commonAncestorContainer: around } = range;
  if ((around.closest ? around : around.parentElement).closest("[data-card]")) return "";
  const words = range.cloneContents();
  for (const card of words.querySelectorAll("[data-card]")) card.remove();
  return words.textContent.trim().slice(0, 2000);
}

function selected() {
  const selection = getSelection();
  if (selection.isCollapsed || !selection.rangeCount) return null;
  const range = selection.getRangeAt(0);
  const part = parts().find((each) => textOf(each).contains(range.commonAncestorContainer));
  const quote = part ? wordsIn(range) : "";
  if (!quote) return null;
  const line = range.startContainer.parentElement.closest("[data-line]")?.dataset.line;
  return { part, line, quote, before: wordsBefore(textOf(part), range).slice(-200), box: range.getBoundingClientRect() };
}

const floating = () => document.querySelector("[data-floating]");

function offer() {
  const found = selected();
  picked = found ?? picked;
  const offered = floating();
  if (!offered) return;
  offered.hidden = !found || !formOf(found.part);
  if (offered.hidden) return;
  const { left, bottom } = found.box;
  offered.style.left = `${Math.max(GAP, Math.min(left, innerWidth - offered.offsetWidth - GAP))}px`;
  offered.style.top = `${Math.max(GAP, Math.min(bottom + GAP, innerHeight - offered.offsetHeight - GAP))}px`;
}

// What is typed

function another(form) {
  const row = rows(form)[0].cloneNode(true);
  for (const each of row.querySelectorAll("textarea, input")) each.value = "";
  delete row.dataset.at;
  form.querySelector("[data-remarks]").append(row);
  return row;
}

function fill(row, words) {
  for (const [name, value] of Object.entries(words)) field(row, name).value = value;
}

function asKind(row, kind) {
  row.dataset.kind = kind;
  if (kind === "instead" && !field(row, "instead").value) field(row, "instead").value = field(row, "quote").value;
}

function begin(kind, here) {
  const part = here ?? picked?.part ?? document.querySelector("[data-current] [data-beside]") ?? parts()[0];
  const form = formOf(part);
  if (!form) return;
  const card = form.closest("details");
  card.open = true;
  const row = rows(form).find(isEmpty) ?? another(form);
  if (picked?.part === part) {
    fill(row, { quote: picked.quote, before: picked.before });
    if (picked.line) row.dataset.at = picked.line;
  }
  asKind(row, kind);
  picked = null;
  keep(form);
  arrangeAll();
  choose(card);
  const area = field(row, kind);
  area.focus();
  if (kind === "instead") area.select();
}

function keep(form) {
  const wordsOf = (row) => Object.fromEntries(NAMES.map((name) => [name, field(row, name).value]));
  const words = rows(form).filter((row) => !isEmpty(row)).map(wordsOf);
  if (words.length) localStorage.setItem(draftOf(form), JSON.stringify(words));
  else localStorage.removeItem(draftOf(form));
}

function restore(form) {
  const kept = JSON.parse(localStorage.getItem(draftOf(form)) ?? "[]");
  if (rows(form).every(isEmpty) && kept.length) {
    form.closest("details").open = true;
    for (const words of kept) fill(rows(form).find(isEmpty) ?? another(form), words);
  }
  for (const row of rows(form)) row.dataset.kind ??= field(row, "instead").value ? "instead" : "text";
}

function quoted(area) {
  if (!picked || area.value) return;
  area.value = `> ${picked.quote.replace(/\s+/gu, " ")}\n\n`;
  picked = null;
}

function prepare(within) {
  for (const each of within.querySelectorAll("[data-scripted]")) each.hidden = false;
  for (const form of within.querySelectorAll("[data-beside] [data-review]")) restore(form);
  for (const part of within.querySelectorAll("[data-beside]")) observe(part);
}

// Also after the page was renewed under what is typed.
function show() {
  prepare(document);
  arrangeAll();
  offer();
}

function showLoaded({ target }) {
  prepare(target);
  arrangeSoon(target.querySelector("[data-beside]"));
}

show();
document.addEventListener("renewing", takeHome);
document.addEventListener("renewed", show);
document.addEventListener("loaded", showLoaded);
WIDE.addEventListener("change", arrangeAll);
document.addEventListener("toggle", ({ target }) => target.closest("[data-card]") && arrangeSoon(target.closest("[data-beside]")), true);

let isPressed = false;
addEventListener("pointerdown", ({ target }) => {
  isPressed = true;
  if (target.closest(".rendered") && !target.closest("[data-card]")) picked = null;
  if (!target.closest("[data-floating]")) floating()?.setAttribute("hidden", "");
});
for (const over of ["pointerup", "pointercancel"]) {
  addEventListener(over, () => {
    isPressed = false;
    setTimeout(offer);
  });
}
document.addEventListener("selectionchange", () => isPressed || offer());
addEventListener("keydown", () => (picked = selected() ?? picked), true); // the change may not have been told yet
document.addEventListener("mousedown", (event) => event.target.closest("[data-floating]") && event.preventDefault());
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-begin]");
  if (button) {
    getSelection().removeAllRanges();
    floating().hidden = true;
    begin(button.dataset.begin, button.closest(".part")?.querySelector("[data-beside]"));
  } else if (event.target.closest("[data-suggest]")) {
    const row = event.target.closest("fieldset");
    asKind(row, "instead");
    field(row, "instead").focus();
    arrangeAll();
  } else if (event.target.closest(".rendered") && getSelection().isCollapsed) cardAt(event)?.focus();
});
document.addEventListener("input", ({ target }) => {
  const form = target.closest("[data-review]");
  if (form) keep(form);
});
// What is typed while a form is sent is not sent with it.
let sent = null;
document.addEventListener("sending", ({ target }) => {
  sent = target.matches("[data-review]") ? [draftOf(target), localStorage.getItem(draftOf(target))] : null;
});
document.addEventListener("sent", () => {
  if (sent && localStorage.getItem(sent[0]) === sent[1]) localStorage.removeItem(sent[0]);
});
document.addEventListener("focusin", ({ target }) => {
  choose(target.closest("[data-card]"));
  if (target.matches('[name="feedback"], [name="instruction"]')) quoted(target);
});

// The editor of a section: CodeMirror over the text field of the form, which works without it, with a preview beside it,
// images by drop, a draft that survives a closed tab, and word of a version that came meanwhile.
const form = document.querySelector("form.editing");
const { editor, preview, pictures, section, language } = form.dataset;
const words = JSON.parse(form.dataset.words);
const field = form.elements.text;
const shown = form.querySelector("[data-rendered]");
const say = (text) => (form.querySelector("[data-said]").textContent = text);
const key = `draft ${form.dataset.draft}`;
const opened = { text: field.value, version: form.elements.version.value };

// Its styles are in the tree of the shadow, where they need no style element: the policy of the page allows none.
const host = document.createElement("div");
host.className = "editor";
const cm = await import(editor);
const view = new cm.EditorView({ state: stateOf(field.value), parent: host.attachShadow({ mode: "open" }), root: host.shadowRoot });
field.before(host);
field.hidden = true;
field.required = false;
field.labels[0].addEventListener("click", () => view.focus());

function stateOf(doc) {
  const markdown = new cm.Language(cm.defineLanguageFacet(), cm.parser.configure(cm.GFM), [], "markdown");
  return cm.EditorState.create({
    doc,
    extensions: [
      cm.history(),
      cm.drawSelection(),
      cm.highlightSpecialChars({ render: special }),
      cm.EditorView.lineWrapping,
      cm.EditorView.perLineTextDirection.of(true),
      cm.EditorView.contentAttributes.of({ "aria-label": words.label, lang: language, spellcheck: "true", tabindex: "0" }),
      cm.keymap.of([{ key: "Mod-s", run: () => (form.requestSubmit(form.querySelector("button.first")), true) }]),
      cm.keymap.of([...cm.defaultKeymap, ...cm.historyKeymap]),
      markdown.extension,
      cm.syntaxHighlighting(colours()),
      theme(),
      cm.EditorView.updateListener.of((update) => update.docChanged && changed()),
      cm.EditorView.domEventHandlers({
        beforeinput: typedOver,
        drop: (event, at) => taken(event, event.dataTransfer, at.posAtCoords({ x: event.clientX, y: event.clientY })),
        paste: (event) => taken(event, event.clipboardData, null),
      }),
    ],
  });
}

// A browser that replaces marked text itself keeps its looks in a style attribute, which the policy forbids.
function typedOver(event, at) {
  if (event.inputType !== "insertText" || !event.data || at.composing || at.state.selection.main.empty) return false;
  event.preventDefault();
  at.dispatch(at.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
  return true;
}

function special(code) {
  const mark = document.createElement("span");
  mark.className = "special";
  mark.textContent = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  return mark;
}

function colours() {
  const { tags } = cm;
  return cm.HighlightStyle.define([
    { tag: tags.heading, fontWeight: "650" },
    { tag: tags.strong, fontWeight: "650" },
    { tag: tags.emphasis, fontStyle: "italic" },
    { tag: tags.strikethrough, textDecoration: "line-through" },
    { tag: [tags.link, tags.url], color: "var(--link)" },
    { tag: [tags.processingInstruction, tags.meta, tags.contentSeparator], color: "var(--soft)" },
    { tag: tags.monospace, color: "var(--calm)" },
  ]);
}

function theme() {
  return cm.EditorView.theme({
    "&": { height: "100%", font: "14px/22px ui-monospace, monospace", color: "var(--ink)" },
    "&.cm-focused": { outline: "2px solid var(--strong)", outlineOffset: "1px" },
    ".cm-scroller": { fontFamily: "inherit", lineHeight: "inherit", overflow: "auto" },
    ".cm-content": { padding: "8px 0", caretColor: "var(--ink)" },
    ".cm-line": { padding: "0 12px" },
    ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
    "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "var(--calm-bg)" },
    ".special": { color: "var(--bad)", background: "var(--bad-bg)", borderRadius: "3px", fontSize: "11px" },
  });
}

// The draft, in this browser alone.

const read = () => JSON.parse(localStorage.getItem(key) ?? "null");
const refs = () => [...form.querySelectorAll("input[name=image]")].map((each) => each.value);

function keep(more = {}) {
  if (field.value === opened.text && !form.hasAttribute("data-typed")) return localStorage.removeItem(key);
  const draft = { text: field.value, version: form.elements.version.value, images: refs(), ...more };
  try {
    localStorage.setItem(key, JSON.stringify(draft));
  } catch {
    say(words.not_kept);
  }
}

function restore() {
  const draft = read();
  if (form.hasAttribute("data-typed") || !draft || draft.text === opened.text) return keep();
  draft.images.filter((each) => !refs().includes(each)).forEach(addRef);
  form.elements.version.value = draft.version;
  put(draft.text);
  form.querySelector("[data-draft-note]").hidden = false;
  if (draft.version !== opened.version) form.querySelector("[data-newer]").hidden = false;
}

addEventListener("storage", (event) => event.key === key && event.newValue && say(words.other_tab));

const put = (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });

form.querySelector("[data-drop]").addEventListener("click", () => {
  form.elements.version.value = opened.version;
  put(opened.text);
  form.querySelectorAll("[data-draft-note], [data-newer]").forEach((note) => (note.hidden = true));
  view.focus();
});

let sent = false;
form.addEventListener("submit", () => {
  sync();
  sent = true;
  form.elements.draft.value = Date.now().toString(36) + Math.random().toString(36).slice(2, 12);
  keep({ sent: form.elements.draft.value });
});
addEventListener("pagehide", () => sent || (sync(), keep()));

// The preview, as the server would show the text.

let waits, asked;

function changed() {
  clearTimeout(waits);
  waits = setTimeout(() => (sync(), keep(), look()), 250);
}

function sync() {
  field.value = view.state.doc.toString();
}

async function look() {
  asked?.abort();
  asked = new AbortController();
  const headers = { "Content-Type": "text/markdown" };
  const answer = await fetch(preview, { method: "POST", body: field.value, headers, signal: asked.signal }).catch(() => null);
  if (answer?.ok) shown.innerHTML = await answer.text();
}

// Images: each is uploaded as it comes, and stands in the text where it was dropped.

function taken(event, given, place) {
  const files = [...(given?.files ?? [])];
  if (!files.length) return false;
  event.preventDefault();
  add(files, place ?? view.state.selection.main.head);
  return true;
}

async function add(files, place) {
  for (const file of files) {
    say(words.uploading + file.name);
    const body = new FormData();
    body.append("picture", file);
    const answer = await fetch(pictures, { method: "POST", body }).catch(() => null);
    const told = await answer?.json().catch(() => null);
    if (!answer?.ok) return say(words.not_uploaded + (told?.detail ?? file.name));
    addRef(told.upload);
    const insert = `\n\n${told.markup}\n\n`;
    view.dispatch({ changes: { from: Math.min(place, view.state.doc.length), insert } });
    place += insert.length;
    say("");
  }
}

function addRef(value) {
  const input = Object.assign(document.createElement("input"), { type: "hidden", name: "image", value });
  form.append(input);
}

form.elements.picture.addEventListener("change", (event) => {
  const files = [...event.target.files];
  event.target.value = "";
  add(files, view.state.selection.main.head);
});

// What came meanwhile.

for (const button of document.querySelectorAll("[data-take]")) {
  const { ours, theirs } = button.dataset;
  button.hidden = !ours.trim();
  button.addEventListener("click", () => {
    const [before, ...after] = view.state.doc.toString().split(ours);
    if (after.length !== 1) return say(words.cannot_take);
    view.dispatch({ changes: { from: before.length, to: before.length + ours.length, insert: theirs } });
    button.disabled = true;
    button.textContent = words.taken;
  });
}

let told;

document.getElementById("stream").addEventListener("changed", () => {
  clearTimeout(told);
  told = setTimeout(tellNewer, 150);
});

async function tellNewer() {
  const answer = await fetch(section).catch(() => null);
  const versions = answer?.ok ? (await answer.json()).versions : [];
  const newest = versions.at(-1)?.number ?? 0;
  if (newest > Number(form.elements.version.value)) form.querySelector("[data-newer]").hidden = false;
}

restore();

// How CodeMirror shows Markdown, in the editor and where versions are compared.
export function looks(cm) {
  const markdown = new cm.Language(cm.defineLanguageFacet(), cm.parser.configure(cm.GFM), [], "markdown");
  return [
    cm.highlightSpecialChars({ render: special }),
    cm.EditorView.lineWrapping,
    cm.EditorView.perLineTextDirection.of(true),
    markdown.extension,
    cm.syntaxHighlighting(colours(cm)),
    theme(cm),
  ];
}

function special(code) {
  const mark = document.createElement("span");
  mark.className = "special";
  mark.textContent = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  return mark;
}

function colours(cm) {
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

function theme(cm) {
  return cm.EditorView.theme({
    "&": { height: "100%", font: "14px/22px ui-monospace, monospace", color: "var(--ink)" },
    "&.cm-focused": { outline: "2px solid var(--strong)", outlineOffset: "1px" },
    ".cm-scroller": { fontFamily: "inherit", lineHeight: "inherit", overflow: "auto" },
    ".cm-content": { padding: "8px 0", caretColor: "var(--ink)" },
    ".cm-line": { padding: "0 12px" },
    ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
    "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "var(--calm-bg)" },
    "&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { background: "var(--bad-bg)" },
    "&.cm-merge-b .cm-changedLine, .cm-insertedLine, .cm-inlineChangedLine": { background: "var(--good-bg)" },
    ".cm-changedText, .cm-deletedText": { background: "none", textDecoration: "underline", textUnderlineOffset: "3px" },
    ".cm-deletedChunk .cm-deletedText": { textDecoration: "line-through" },
    ".cm-deletedChunk .cm-chunkButtons button": { background: "var(--field)", color: "var(--ink)", border: "1px solid var(--soft)", font: "13px/20px system-ui, sans-serif" },
    ".cm-collapsedLines": { background: "var(--field)", color: "var(--soft)" },
    ".special": { color: "var(--bad)", background: "var(--bad-bg)", borderRadius: "3px", fontSize: "11px" },
  });
}

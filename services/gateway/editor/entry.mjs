// What the desk takes of CodeMirror, as one module; `editor.js` and `compare.js` of the desk are its users.
export {Compartment, EditorState} from "@codemirror/state";
export {EditorView, drawSelection, highlightSpecialChars, keymap} from "@codemirror/view";
export {defaultKeymap, history, historyKeymap} from "@codemirror/commands";
export {HighlightStyle, Language, defineLanguageFacet, syntaxHighlighting} from "@codemirror/language";
export {tags} from "@lezer/highlight";
export {GFM, parser} from "@lezer/markdown";
export {MergeView, unifiedMergeView} from "@codemirror/merge";

// Builds codemirror.js of the desk with the licences of all that is in it, and its digest. The same versions give the same bytes.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const [into] = process.argv.slice(2);
const banner = "/*! CodeMirror 6 and what it needs, MIT: codemirror.LICENSE.txt */";
const made = await build({
  entryPoints: ["entry.mjs"],
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  banner: { js: banner },
  outfile: join(into, "codemirror.js"),
  metafile: true,
  write: false,
});

const of = (file) => file.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1];
const packages = [...new Set(Object.keys(made.metafile.inputs).map(of).filter(Boolean))].sort();
const about = (name) => JSON.parse(readFileSync(join("node_modules", name, "package.json"), "utf8"));
const licence = (name) => `${name} ${about(name).version}\n\n${readFileSync(join("node_modules", name, "LICENSE"), "utf8").trim()}\n`;

const script = made.outputFiles[0].contents;
const digest = createHash("sha256").update(script).digest("hex");
const versions = Object.fromEntries(packages.map((name) => [name, about(name).version]));
writeFileSync(join(into, "codemirror.js"), script);
writeFileSync(join(into, "codemirror.LICENSE.txt"), packages.map(licence).join("\n"));
writeFileSync(join(into, "codemirror.json"), `${JSON.stringify({ sha256: digest, packages: versions }, null, 1)}\n`);

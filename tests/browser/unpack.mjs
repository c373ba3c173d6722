// Unpacks the browser, its fonts and the libraries that it needs into TMPDIR.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inflate } from "@sparticuz/chromium";

const packed = join(fileURLToPath(import.meta.resolve("@sparticuz/chromium")), "..", "..", "bin");
for (const name of readdirSync(packed)) await inflate(join(packed, name));

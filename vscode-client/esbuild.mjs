/** Bundle the extension into dist/extension.js; with `--watch` again after every change. */

import { context } from "esbuild";

const bundle = await context({
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  external: ["vscode"],
  logLevel: "info",
});
if (process.argv.includes("--watch")) {
  await bundle.watch();
} else {
  await bundle.rebuild();
  await bundle.dispose();
}

// Writes build/charts.html, which draws every chart from boards in JSON files:
//   python gallery/boards.py ../build/boards && node gallery/gallery.mjs ../build/boards/*.json
import { build } from "esbuild"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const here = dirname(fileURLToPath(import.meta.url))
const result = await build({
  absWorkingDir: join(here, ".."),
  entryPoints: { script: "gallery/gallery.ts", style: "src/charts/charts.css" },
  outdir: "out",
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  metafile: true,
})
const [script, style] = ["script.js", "style.css"].map((name) => result.outputFiles.find(({ path }) => path.endsWith(name)).text)
const boards = await Promise.all(process.argv.slice(2).map(async (path) => JSON.parse(await readFile(path, "utf8"))))
const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Charts</title><style>${style}
body { max-width: 66rem; margin: 0 auto; padding: 1.25rem; background: var(--rb-paper); color: var(--rb-ink); font: 1rem/1.5 system-ui, sans-serif }
figure { padding-block: 1.25rem }</style><main><h1>Charts</h1></main>
<script type="application/json" id="boards">${JSON.stringify(boards).replaceAll("<", "\\u003c")}</script><script>${script}</script></html>`
await mkdir(join(here, "..", "..", "build"), { recursive: true })
await writeFile(join(here, "..", "..", "build", "charts.html"), page)
console.log(`${script.length} characters of script, ${style.length} of style`)

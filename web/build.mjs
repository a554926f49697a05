// Bundles src/ into the scripts and the style of the page, and of its piece for other pages, which are committed with the package.
// The page has two scripts: the board, which runs at once, and the views, which run when one is opened
// and take from the first what both need.
// `npm run build` writes them; `npm run check` fails where they differ from their sources.
// The notices of the libraries in a script stand at its head, so that every page carries them, and
// in a file beside it.
import { build } from "esbuild"
import { readFile, writeFile } from "node:fs/promises"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const here = dirname(fileURLToPath(import.meta.url))
const assets = join(here, "..", "src", "rankbars", "render", "assets")
const bundles = [
  { from: "src/page.ts", to: "page.js", format: "iife", plugins: [giving()] },
  { from: "src/views.ts", to: "views.js", format: "iife", plugins: [taking()] },
  { from: "src/style.css", to: "page.css" },
  { from: "src/fragment.ts", to: "fragment.js", format: "iife" },
  { from: "src/fragment.css", to: "fragment.css" },
]
const NOTICES = "page.LICENSES.txt"
const GLOBAL = "rankbarsShared"

const options = process.argv.slice(2)
let stale = false
const shared = await sharedModules("src/page.ts", "src/views.ts")
for (const { from, to, format, plugins = [] } of bundles) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [from],
    plugins,
    bundle: true,
    minify: true,
    charset: "ascii",
    legalComments: "none",
    target: "es2022",
    ...(format ? { format } : {}),
    write: false,
    metafile: true,
    logLevel: "warning",
  })
  const inputs = Object.values(result.metafile.outputs)[0].inputs
  const notices = await noticesOf(inputs)
  const text = (notices ? `/*!\n${notices}*/\n` : "") + result.outputFiles[0].text
  // A closing tag inside a string would end the element that holds the bundle.
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`${to} holds a closing tag or a comment`)
  // The page is ASCII, and what its policy lets run is known by its bytes.
  if (/[^\x00-\x7f]/.test(text)) throw new Error(`${to} holds letters beyond ASCII`)
  if (options.includes("--sizes")) {
    const sizes = Object.entries(inputs).map(([name, { bytesInOutput }]) => [bytesInOutput, name])
    for (const [size, name] of sizes.sort((a, b) => b[0] - a[0]).slice(0, 25)) console.log(size, name)
    console.log(text.length, to)
  }
  await settle(join(assets, to), text)
  if (notices) await settle(join(assets, NOTICES), notices)
}
if (stale) process.exitCode = 1

/** Modules of src/ that both of two bundles hold. */
async function sharedModules(...entries) {
  const options = { absWorkingDir: here, bundle: true, write: false, metafile: true }
  const [one, two] = await Promise.all(entries.map((from) => build({ ...options, entryPoints: [from] })))
  const used = ({ metafile: { outputs } }) => Object.entries(Object.values(outputs)[0].inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  const first = new Set(used(one).map(([name]) => name))
  return used(two).map(([name]) => name).filter((name) => name.startsWith("src/") && first.has(name))
}

/** The first script lays out the modules that the second one takes. */
function giving() {
  const lines = () => [
    ...shared.map((name, i) => `import * as m${i} from "./${name.slice("src/".length)}"`),
    `Object.assign(globalThis, { ${GLOBAL}: { ${shared.map((name, i) => `"${name}": m${i}`).join(", ")} } })`,
  ]
  return {
    name: "giving",
    setup: ({ onLoad }) => onLoad({ filter: /[\\/]src[\\/]shared\.ts$/ }, () => ({ contents: lines().join("\n"), loader: "ts" })),
  }
}

function taking() {
  return {
    name: "taking",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
        const name = `${relative(here, join(resolveDir, path)).replaceAll("\\", "/")}.ts`
        return shared.includes(name) ? { path: name, namespace: GLOBAL } : undefined
      })
      onLoad({ filter: /.*/, namespace: GLOBAL }, ({ path }) => ({ contents: `module.exports = ${GLOBAL}["${path}"]` }))
    },
  }
}

/** Writes the file, or with --check tells that it differs. */
async function settle(path, text) {
  if (!options.includes("--check")) return writeFile(path, text)
  const committed = await readFile(path, "utf8").catch(() => "")
  if (committed === text) return
  console.error(`${path} does not match its sources. Run: cd web && npm run build`)
  stale = true
}

/** The libraries with code in a bundle, under their licences; equal terms stand there once. */
async function noticesOf(inputs) {
  const used = Object.keys(inputs).filter((name) => inputs[name].bytesInOutput > 0)
  const found = used.map((name) => name.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1])
  const terms = new Map()
  for (const name of [...new Set(found.filter(Boolean))].sort()) {
    const folder = join(here, "node_modules", name)
    const { license, version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"))
    const licence = (await readFile(join(folder, "LICENSE"), "utf8")).trim()
    const copyright = licence.match(/^(?:ISC License\s+)?(Copyright .*)\n/)
    if (!copyright) throw new Error(`${name}: no copyright at the head of its licence`)
    const rest = licence.slice(copyright[0].length).trim()
    terms.set(rest, [...(terms.get(rest) ?? []), `${name} ${version} (${license}): ${copyright[1]}`])
  }
  const parts = [...terms].map(([rest, names]) => `${names.join("\n")}\n\n${rest}\n`)
  return parts.length ? `This script contains:\n\n${parts.join("\n")}` : ""
}

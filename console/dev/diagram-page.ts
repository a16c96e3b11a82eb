import { createHash } from "node:crypto"
import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { build, type Plugin } from "vite"

const ROOT = join(import.meta.dirname, "..")
const SOURCES = join(ROOT, "src/ui/markdown/diagram")
const CACHE = join(ROOT, "../node_modules/.cache")

/**
 * Adds diagram.html to the build: one page with an inline script. The page runs in a frame without
 * an origin, to which our server serves no script, and its policy allows only the hash of this
 * script.
 */
export function diagramPage(): Plugin {
  return {
    name: "diagram-page",
    apply: "build",
    async generateBundle() {
      this.emitFile({ type: "asset", fileName: "diagram.html", source: await builtOnce() })
    },
  }
}

/**
 * Building takes seconds for 3 MB and the result changes only with the library, so it is cached in
 * node_modules/.cache.
 */
async function builtOnce(): Promise<string> {
  const file = join(CACHE, `qm-diagram-${await hashOfInputs()}.html`)
  const cached = await readFile(file, "utf8").catch(() => undefined)
  if (cached !== undefined) return cached
  const html = pageWith(await bundle())
  await mkdir(CACHE, { recursive: true })
  // Parallel test builds must not read a half-written file.
  const own = `${file}.${process.pid}`
  await writeFile(own, html)
  await rename(own, file)
  return html
}

async function hashOfInputs(): Promise<string> {
  const files = [
    import.meta.filename,
    // The lock file names the version of each dependency of the library.
    join(ROOT, "../package-lock.json"),
    ...["page.ts", "messages.ts", "omitted-renderer.ts"].map((it) => join(SOURCES, it)),
  ]
  const hash = createHash("sha256")
  for (const file of files) hash.update(await readFile(file)).update("\0")
  return hash.digest("hex").slice(0, 16)
}

async function bundle(): Promise<string> {
  const outcome = await build({
    root: ROOT,
    configFile: false,
    logLevel: "warn",
    define: { "process.env.NODE_ENV": JSON.stringify("production") },
    resolve: {
      // Leaves out 2 MB for two layouts and for formulas. A diagram that uses them shows an error.
      alias: [/^elkjs\/.*$/, /^.*\/elk-[A-Z0-9]+\.mjs$/, /^cytoscape-fcose$/, /^katex$/].map(
        (find) => ({
          find,
          replacement: join(SOURCES, "omitted-renderer.ts"),
        }),
      ),
    },
    build: {
      write: false,
      target: "es2024",
      reportCompressedSize: false,
      chunkSizeWarningLimit: 4_000,
      lib: { entry: join(SOURCES, "page.ts"), formats: ["iife"], name: "diagramPage" },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })
  const outputs = [outcome].flat().flatMap((it) => ("output" in it ? it.output : []))
  const [script, ...others] = outputs.flatMap((it) => (it.type === "chunk" ? [it.code] : []))
  if (script === undefined || others.length > 0) throw new Error("diagram.html has one script.")
  return script
}

function pageWith(script: string): string {
  // Either tag would end the script early or hide its end.
  if (/<\/?script/i.test(script)) throw new Error("The script of diagram.html holds a script tag.")
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Diagrams</title>
<style>body { margin: 0; font: 14px/20px sans-serif }</style>
<body>
<script>${script}</script>
`
}

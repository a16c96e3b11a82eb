import { existsSync, globSync, mkdirSync, renameSync, statSync, writeFileSync } from "node:fs"
import path from "node:path"
import { build, type Plugin } from "vite"

const ROOT = path.join(import.meta.dirname, "../..")
const ENTRY = path.join(ROOT, "src/show/hooks/main.ts")

/** Where the bundle lies: one file, with nothing beside it. */
const BUNDLE = path.join(ROOT, "dist/hooks/qm-hook.mjs")

/**
 * Builds the one file that a host starts at each event: no package, nothing to resolve, and of the
 * modules of Node only those that every event needs.
 */
export async function buildHooks(file: string = BUNDLE): Promise<string> {
  const code = await bundle()
  mkdirSync(path.dirname(file), { recursive: true })
  // Two may build at once: whoever reads sees one of them whole.
  const making = `${file}.${process.pid}-${++made}.tmp`
  writeFileSync(making, code)
  renameSync(making, file)
  return file
}

let made = 0

/** Older than any of its sources, or not there at all. */
export function areHooksStale(file: string = BUNDLE): boolean {
  if (!existsSync(file)) return true
  const builtAt = statSync(file).mtimeMs
  const sources = globSync(SOURCES, { cwd: ROOT }).filter((it) => !it.endsWith(".test.ts"))
  return sources.some((it) => statSync(path.join(ROOT, it)).mtimeMs > builtAt)
}

/** All rooms that a hook may load, and how it is built. */
const SOURCES = [
  "src/{ground/base,see/repo,know/ledger,choose/guard,show/hooks}/**/*.ts",
  "scripts/build/*.ts",
]

async function bundle(): Promise<string> {
  const built = await build({
    root: ROOT,
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    plugins: [lightBuiltins()],
    ssr: { noExternal: true, target: "node" },
    build: {
      ssr: ENTRY,
      write: false,
      target: "node24",
      // A third of the time that loading it takes goes by its size.
      minify: "oxc",
      rolldownOptions: {
        // No file of a room does anything by being loaded, so what nobody calls can go.
        treeshake: { moduleSideEffects: (id) => id === ENTRY },
        output: { format: "esm", codeSplitting: false, comments: false, minify: true },
      },
    },
  })
  const outputs = [built].flat().flatMap((it) => ("output" in it ? it.output : []))
  const [chunk, ...others] = outputs
  if (chunk?.type !== "chunk" || others.length > 0) {
    throw new Error(`The hook bundle must be one file; it became ${outputs.length}.`)
  }
  return chunk.code
}

/**
 * Modules of Node that cost milliseconds to load and that few events need. They are loaded by the
 * first call of one of their functions.
 */
const LATE = ["node:child_process", "node:net", "node:timers/promises"]

/** Loading it takes longer than all the rest; a hook needs two short hashes of it. */
const LIGHT_CRYPTO = path.join(import.meta.dirname, "light-crypto.ts")

const LIGHT_FILES = path.join(import.meta.dirname, "light-files.ts")

/**
 * How the bundle comes by the modules of Node. A plain import asks each for all its names, and
 * `node:fs` then loads every kind of stream for the sake of two of them: two milliseconds.
 */
function lightBuiltins(): Plugin {
  const prefix = "\0builtin:"
  return {
    name: "light-builtins",
    enforce: "pre",
    resolveId(id) {
      if (id === "node:crypto") return LIGHT_CRYPTO
      return id.startsWith("node:") ? prefix + id : undefined
    },
    load(id) {
      if (id === `${prefix}node:fs/promises`) return lightFiles()
      return id.startsWith(prefix) ? exportsOf(id.slice(prefix.length)) : undefined
    },
  }
}

/**
 * Of the late ones only functions: what begins with a capital is made with `new`, and must not be
 * asked for there.
 */
function exportsOf(name: string): string {
  const taken = `process.getBuiltinModule(${JSON.stringify(name)})`
  const names = namesIn(name)
  if (LATE.includes(name)) {
    const functions = names.filter((it) => /^[a-z]/.test(it))
    return lines(functions, (it) => `export const ${it} = (...given) => ${taken}.${it}(...given)`)
  }
  const whole = `const whole = /* @__PURE__ */ ${taken}\nexport default whole\n`
  return whole + lines(names, (it) => `export const ${it} = /* @__PURE__ */ (() => whole.${it})()`)
}

/** Each function by its twin that waits; those without one are Node's own. */
function lightFiles(): string {
  const twins = new Set(namesIn("node:fs"))
  const names = namesIn("node:fs/promises").filter((it) => it !== "open" && it !== "constants")
  const own = `process.getBuiltinModule("node:fs/promises")`
  const callOf = (name: string) => {
    if (name === "realpath") return "fs.realpathSync.native"
    return twins.has(`${name}Sync`) ? `fs.${name}Sync` : `${own}.${name}`
  }
  const head = `import fs from "node:fs"\nexport { open } from ${JSON.stringify(LIGHT_FILES)}\n`
  return (
    head + lines(names, (it) => `export const ${it} = async (...given) => ${callOf(it)}(...given)`)
  )
}

/** Without those that load something when they are asked for. */
function namesIn(name: string): readonly string[] {
  const module: object = process.getBuiltinModule(name) ?? {}
  return Object.entries(Object.getOwnPropertyDescriptors(module))
    .filter(([key, it]) => it.get === undefined && key !== "default")
    .map(([key]) => key)
}

function lines(names: readonly string[], line: (name: string) => string): string {
  return names.map((it) => `${line(it)}\n`).join("")
}

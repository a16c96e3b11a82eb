import { existsSync, globSync, mkdirSync, renameSync, statSync, writeFileSync } from "node:fs"
import path from "node:path"
import { build, type Plugin } from "vite"

const ROOT = path.join(import.meta.dirname, "../..")
const ENTRY = path.join(ROOT, "src/show/hooks/main.ts")

const BUNDLE = path.join(ROOT, "dist/hooks/qm-hook.mjs")

/**
 * Builds the one file that a host starts at each event: no package, nothing to resolve, and only
 * those Node modules that every event needs.
 */
export async function buildHooks(file: string = BUNDLE): Promise<string> {
  const code = await bundle()
  mkdirSync(path.dirname(file), { recursive: true })
  // Two processes may build at the same time; the rename gives readers one complete file.
  const making = `${file}.${process.pid}-${++made}.tmp`
  writeFileSync(making, code)
  renameSync(making, file)
  return file
}

let made = 0

export function areHooksStale(file: string = BUNDLE): boolean {
  if (!existsSync(file)) return true
  const builtAt = statSync(file).mtimeMs
  const sources = globSync(SOURCES, { cwd: ROOT }).filter((it) => !it.endsWith(".test.ts"))
  return sources.some((it) => statSync(path.join(ROOT, it)).mtimeMs > builtAt)
}

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
      // The size of the bundle causes a third of its load time.
      minify: "oxc",
      rolldownOptions: {
        // No file of a room has side effects on load, so unused code can be removed.
        treeshake: { moduleSideEffects: (id) => id === ENTRY },
        output: { format: "esm", codeSplitting: false, comments: false, minify: true },
      },
    },
  })
  const outputs = [built].flat().flatMap((it) => ("output" in it ? it.output : []))
  const [chunk, ...others] = outputs
  if (chunk?.type !== "chunk" || others.length > 0) {
    throw new Error(`The hook bundle must be one file; the build produced ${outputs.length}.`)
  }
  return chunk.code
}

/**
 * Node modules that cost milliseconds to load and that few events need. The first call of one of
 * their functions loads them.
 */
const LATE = ["node:child_process", "node:net", "node:timers/promises"]

/** Loading `node:crypto` takes longer than all the rest; a hook needs two short hashes of it. */
const LIGHT_CRYPTO = path.join(import.meta.dirname, "light-crypto.ts")

const LIGHT_FILES = path.join(import.meta.dirname, "light-files.ts")

/**
 * How the bundle loads Node modules. A plain import reads all names of a module, and `node:fs` then
 * loads every kind of stream for two of them: two milliseconds.
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
 * Of the late modules only functions: a capitalized name is a constructor, which a lazy wrapper
 * would break.
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

/** Each function uses its synchronous counterpart; functions without one are Node's own. */
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

/** Without names whose access loads a module. */
function namesIn(name: string): readonly string[] {
  const module: object = process.getBuiltinModule(name) ?? {}
  return Object.entries(Object.getOwnPropertyDescriptors(module))
    .filter(([key, it]) => it.get === undefined && key !== "default")
    .map(([key]) => key)
}

function lines(names: readonly string[], line: (name: string) => string): string {
  return names.map((it) => `${line(it)}\n`).join("")
}

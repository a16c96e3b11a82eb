import path from "node:path"
import type { Plugin } from "vite"

/** Loading `node:crypto` takes 6 ms; a command needs some random bytes and short hashes of it. */
const LIGHT_CRYPTO = path.join(import.meta.dirname, "light-crypto.ts")

/** Loading `node:zlib` takes 5 ms; a command needs the checksum of an event of it. */
const LIGHT_ZLIB = path.join(import.meta.dirname, "light-zlib.ts")

const LIGHT_FILES = path.join(import.meta.dirname, "light-files.ts")

type LightOptions = {
  /** Modules that the first call of one of their functions loads. */
  readonly late: readonly string[]
  /** Which imports are concerned, by the name of the Node module and the importing file. */
  readonly isLight: (name: string, importer: string) => boolean
}

/**
 * How a bundle loads Node modules. A plain import reads all names of a module, and `node:fs` then
 * loads every kind of stream for two of them: two milliseconds.
 */
export function lightBuiltins({ late, isLight }: LightOptions) {
  const prefix = "\0builtin:"
  return {
    name: "light-builtins",
    enforce: "pre",
    resolveId(id, importer = "") {
      const isOurs = importer.startsWith(prefix) || [LIGHT_CRYPTO, LIGHT_FILES].includes(importer)
      return id.startsWith("node:") && (isOurs || isLight(id, importer)) ? prefix + id : undefined
    },
    load(id) {
      if (!id.startsWith(prefix)) return undefined
      const name = id.slice(prefix.length)
      if (name === "node:crypto") return lightModule(name, LIGHT_CRYPTO, OWN_CRYPTO)
      if (name === "node:zlib") return lightModule(name, LIGHT_ZLIB, OWN_ZLIB)
      return name === "node:fs/promises" ? lightFiles() : exportsOf(name, late)
    },
  } as const satisfies Plugin
}

/**
 * Of the late modules only functions: a capitalized name is a constructor, which a lazy wrapper
 * would break.
 */
function exportsOf(name: string, late: readonly string[]): string {
  const names = namesIn(name)
  if (late.includes(name)) return lateFunctions(name, names)
  const whole = `const whole = /* @__PURE__ */ ${moduleCode(name)}\nexport default whole\n`
  return whole + lines(names, (it) => `export const ${it} = /* @__PURE__ */ (() => whole.${it})()`)
}

function lateFunctions(name: string, names: readonly string[]): string {
  const functions = names.filter((it) => /^[a-z]/.test(it))
  return lines(
    functions,
    (it) => `export const ${it} = (...given) => ${moduleCode(name)}.${it}(...given)`,
  )
}

function moduleCode(name: string): string {
  return `process.getBuiltinModule(${JSON.stringify(name)})`
}

const OWN_CRYPTO = ["createHash", "hash", "randomBytes"]
const OWN_ZLIB = ["crc32"]

/** Our own functions; the first call of any other loads the module. */
function lightModule(name: string, file: string, own: readonly string[]): string {
  const others = namesIn(name).filter((it) => !own.includes(it))
  return `export { ${own.join(", ")} } from ${JSON.stringify(file)}\n${lateFunctions(name, others)}`
}

const OWN_FILES = ["open", "opendir"]

/** Recursive work stays with the threads. */
const LONG_FILES = ["cp", "rm"]

/** The first calls use the synchronous counterpart; functions without one are Node's own. */
function lightFiles(): string {
  const twins = new Set(namesIn("node:fs"))
  const names = namesIn("node:fs/promises").filter((it) => it !== "constants")
  const others = names.filter((it) => !OWN_FILES.includes(it))
  const from = JSON.stringify(LIGHT_FILES)
  const head = `import fs from "node:fs"\nimport { isSynchronous } from ${from}\n`
  const own = `export { ${OWN_FILES.join(", ")} } from ${from}\n`
  const twinOf = (name: string) => (name === "realpath" ? "realpathSync.native" : `${name}Sync`)
  return (
    head +
    own +
    lines(others, (name) => {
      const call = `${moduleCode("node:fs/promises")}.${name}(...given)`
      const hasTwin = twins.has(`${name}Sync`) && !LONG_FILES.includes(name)
      const body = hasTwin ? `isSynchronous() ? fs.${twinOf(name)}(...given) : ${call}` : call
      return `export const ${name} = async (...given) => ${body}`
    })
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

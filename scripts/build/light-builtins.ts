import path from "node:path"
import type { Plugin } from "vite"

/** Loading `node:crypto` takes longer than all the rest; a hook needs two short hashes of it. */
const LIGHT_CRYPTO = path.join(import.meta.dirname, "light-crypto.ts")

const LIGHT_FILES = path.join(import.meta.dirname, "light-files.ts")

type LightOptions = {
  /** Modules that the first call of one of their functions loads. */
  readonly late: readonly string[]
  /** Which imports are concerned, by the name of the Node module and the importing file. */
  readonly isLight: (name: string, importer: string) => boolean
  /** Whether `node:crypto` and `node:fs/promises` are replaced by lighter modules of ours. */
  readonly replaceFiles: boolean
}

/**
 * How a bundle loads Node modules. A plain import reads all names of a module, and `node:fs` then
 * loads every kind of stream for two of them: two milliseconds.
 */
export function lightBuiltins({ late, isLight, replaceFiles }: LightOptions) {
  const prefix = "\0builtin:"
  return {
    name: "light-builtins",
    enforce: "pre",
    resolveId(id, importer = "") {
      if (!id.startsWith("node:") || !isLight(id, importer)) return undefined
      return replaceFiles && id === "node:crypto" ? LIGHT_CRYPTO : prefix + id
    },
    load(id) {
      if (replaceFiles && id === `${prefix}node:fs/promises`) return lightFiles()
      return id.startsWith(prefix) ? exportsOf(id.slice(prefix.length), late) : undefined
    },
  } as const satisfies Plugin
}
/**
 * Of the late modules only functions: a capitalized name is a constructor, which a lazy wrapper
 * would break.
 */
function exportsOf(name: string, late: readonly string[]): string {
  const taken = `process.getBuiltinModule(${JSON.stringify(name)})`
  const names = namesIn(name)
  if (late.includes(name)) {
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

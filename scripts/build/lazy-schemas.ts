import { globSync, readFileSync } from "node:fs"
import path from "node:path"
import type { Plugin } from "rolldown"
import { type Range, readModule, type SourceModule, type Target } from "./source-module.ts"

type LazyOptions = {
  readonly folder: string
  readonly isPure: (file: string) => boolean
}

/**
 * Builds schemas at their first use. All schemas of the product take longer to build than the runtime
 * takes to start, and a command uses a few of them. A constant at the top of a module that depends on
 * zod, directly or through other constants, becomes a function that builds it once:
 *
 *     export const Run = z.object({ id: RunId })
 *     export function Run() { return Run$ ??= z.object({ id: RunId() }) } var Run$
 *
 * A pure module has no side effects on load, so it does not matter when a constant is built. Lines stay
 * where they are, so the source maps stay true.
 */
export function lazySchemas({ folder, isPure }: LazyOptions): Plugin {
  const modules = new Map<string, SourceModule>()
  const isLazy = lazyNames(modules)
  return {
    name: "lazy-schemas",
    buildStart() {
      modules.clear()
      for (const name of globSync("**/*.ts", { cwd: folder })) {
        if (/\.(?:test|fixture)\.ts$/.test(name)) continue
        const file = path.join(folder, name)
        const module = readModule(readFileSync(file, "utf8"), { file, folder })
        if (!isPure(file)) module.constants.clear()
        modules.set(file, module)
      }
      for (const module of modules.values()) {
        for (const target of valuesOf(module)) keepValue(modules, target)
      }
    },
    transform(code, id) {
      const module = modules.get(id)
      return module === undefined ? undefined : { code: rewrite(code, module, isLazy), map: null }
    },
  }
}

type IsLazy = (file: string, name: string) => boolean

/** Whether a name of a module is a constant that this build makes lazy. */
function lazyNames(modules: ReadonlyMap<string, SourceModule>): IsLazy {
  const results = new Map<string, boolean>()
  const isLazy: IsLazy = (file, name) => {
    const module = modules.get(file)
    const key = `${file}#${name}`
    const before = results.get(key)
    if (module === undefined || before !== undefined) return before ?? false
    results.set(key, false)
    const target = module.imports.get(name)
    const constant = module.constants.get(name)
    const value =
      target === undefined
        ? [...(constant?.dependencies ?? [])].some((it) => isLazy(file, it))
        : target.file === "zod" || isLazyExport(target)
    results.set(key, value)
    return value
  }
  const isLazyExport = ({ file, name }: Target): boolean => {
    const target = modules.get(file)?.exports.get(name)
    if (target === undefined) return false
    return target.file === file ? isLazy(file, target.name) : isLazyExport(target)
  }
  return isLazy
}

/** Constants that stay values: read from `await import()`, or hidden by an inner name somewhere. */
function valuesOf({ file, dynamicNames, innerNames, imports, constants }: SourceModule) {
  return [
    ...dynamicNames,
    ...[...innerNames].flatMap((it) => imports.get(it) ?? []),
    ...[...innerNames].filter((it) => constants.has(it)).map((name) => ({ file, name })),
  ]
}

function keepValue(modules: ReadonlyMap<string, SourceModule>, { file, name }: Target): void {
  const module = modules.get(file)
  if (module === undefined) return
  if (name === "*") for (const it of module.exports.values()) keepValue(modules, it)
  const target = module.exports.get(name)
  if (target === undefined || target.file === file) module.constants.delete(target?.name ?? name)
  else keepValue(modules, target)
}

function rewrite(code: string, module: SourceModule, isLazy: IsLazy): string {
  const { file, constants, references, lazyFields, imports } = module
  const edits: (Range & { readonly text: string })[] = []
  const lazy = new Set(
    [...constants.keys(), ...imports.keys()].filter(
      (it) => imports.get(it)?.file !== "zod" && isLazy(file, it),
    ),
  )
  for (const { start, end, name, isShorthand } of references) {
    if (lazy.has(name))
      edits.push({ start, end, text: isShorthand ? `${name}: ${name}()` : `${name}()` })
  }
  for (const [name, { start, end, isExported, init }] of constants) {
    if (!lazy.has(name)) continue
    const head = `${isExported ? "export " : ""}function ${name}() { return ${name}$ ??= (`
    edits.push({ start, end: init.start, text: head + newlinesIn(code.slice(start, init.start)) })
    edits.push({ start: init.end, end, text: `) } var ${name}$;` })
  }
  for (const { start, name, value, end } of lazyFields) {
    edits.push({ start, end: value.start, text: `get ${name}() { const value = ` })
    const store = `Object.defineProperty(this, "${name}", { value, enumerable: true })`
    edits.push({ start: value.end, end, text: `; ${store}; return value }` })
  }
  return applyEdits(code, edits)
}

function newlinesIn(text: string): string {
  return text.replace(/[^\n]/g, "")
}

function applyEdits(code: string, edits: readonly (Range & { readonly text: string })[]): string {
  let result = ""
  let at = 0
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    result += code.slice(at, start) + text
    at = end
  }
  return result + code.slice(at)
}

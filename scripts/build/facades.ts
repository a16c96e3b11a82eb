import path from "node:path"

/** Characters that were inserted behind a position of a file. */
export type Insertion = { readonly line: number; readonly column: number; readonly length: number }

const FACADE = /^\s*export\{([^{}]+)\}from"\.\/([\w.-]+)";\s*$/
const DYNAMIC_IMPORT = /import\(`((?:\.{1,2}\/)+(?:chunks\/)?)([\w.-]+)`\)/g

/**
 * A module that others import dynamically and that is in a larger file gets a file of its own that
 * only exports it again. Each such file costs a command half a millisecond, so its importers take the
 * names from the larger file. Takes and returns the code of files by their path in the bundle; a file
 * without importers is left out.
 */
export function inlineFacades(codeByFile: ReadonlyMap<string, string>) {
  const facades = new Map(
    [...codeByFile].flatMap(([file, code]) => {
      const [, names, target] = FACADE.exec(code) ?? []
      if (names === undefined || target === undefined) return []
      return [[path.basename(file), { target, fields: fieldsOf(names) }] as const]
    }),
  )
  const codes = new Map<string, string>()
  const insertions = new Map<string, readonly Insertion[]>()
  for (const [file, code] of codeByFile) {
    const inserted: Insertion[] = []
    let changed = ""
    let copied = 0
    for (const { 0: text, 1: folder = "", 2: name = "", index } of code.matchAll(DYNAMIC_IMPORT)) {
      const facade = facades.get(name)
      if (facade === undefined) continue
      const direct = `import(\`${folder}${facade.target}\`).then(e=>(${facade.fields}))`
      const before = code.slice(0, index).split("\n")
      const column = (before.at(-1)?.length ?? 0) + text.length
      inserted.push({ line: before.length - 1, column, length: direct.length - text.length })
      changed += code.slice(copied, index) + direct
      copied = index + text.length
    }
    changed += code.slice(copied)
    codes.set(file, changed)
    insertions.set(file, inserted)
  }
  const all = [...codes.values()].join("\n")
  for (const file of codes.keys()) {
    const name = path.basename(file)
    if (facades.has(name) && !all.includes(`/${name}`)) codes.delete(file)
  }
  return { codes, insertions }
}

/** `a as b` of an export becomes the field `b` of an object. */
function fieldsOf(names: string): string {
  const fields = names.split(",").map((field) => {
    const [inner = "", outer = inner] = field.trim().split(" as ")
    return `${outer}:e.${inner}`
  })
  return `{${fields.join(",")}}`
}

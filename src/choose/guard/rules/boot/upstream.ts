/** Where a branch comes from, as the config of git says it. */
export type Upstream = {
  /** `.` for a branch of the same repository. */
  readonly remote: string
  /** The ref that keeps it here, e.g. refs/remotes/origin/main. */
  readonly ref: string
}

/**
 * The upstream of a branch, out of the text of a config. Read by hand, because git would also read
 * what else stands there; files that it includes are not opened.
 */
export function upstreamOf(config: string, branch: string): Upstream | undefined {
  const sections = sectionsOf(config)
  const own = valuesOf(sections, "branch", branch)
  const remote = own.findLast((it) => it.key === "remote")?.value
  const merge = own.findLast((it) => it.key === "merge")?.value
  if (remote === undefined || merge === undefined) return undefined
  if (remote === ".") return { remote, ref: merge }
  const specs = valuesOf(sections, "remote", remote).filter((it) => it.key === "fetch")
  const refs = specs.flatMap((it) => mapped(merge, it.value) ?? [])
  return refs[0] === undefined ? undefined : { remote, ref: refs[0] }
}

type Value = { readonly key: string; readonly value: string }
type Section = { readonly kind: string; readonly name: string; readonly values: Value[] }

function valuesOf(sections: readonly Section[], kind: string, name: string): readonly Value[] {
  return sections.filter((it) => it.kind === kind && it.name === name).flatMap((it) => it.values)
}

/** `[kind "name"]` with lines `key = value` below; all else is passed over. */
function sectionsOf(config: string): readonly Section[] {
  const sections: Section[] = []
  for (const line of config.split(/\r?\n/)) {
    const [, kind, name] = /^\s*\[\s*([\w.-]+)\s+"((?:[^"\\]|\\.)*)"\s*\]/.exec(line) ?? []
    if (kind !== undefined && name !== undefined) {
      sections.push({ kind: kind.toLowerCase(), name: unescaped(name), values: [] })
      continue
    }
    // A section without a name ends the one before.
    if (/^\s*\[/.test(line)) sections.push({ kind: "", name: "", values: [] })
    const [, key, value] = /^\s*([A-Za-z][\w-]*)\s*=\s*(.*)$/.exec(line) ?? []
    if (key === undefined || value === undefined) continue
    sections.at(-1)?.values.push({ key: key.toLowerCase(), value: plainValue(value) })
  }
  return sections
}

function plainValue(value: string): string {
  const [, inside] = /^"((?:[^"\\]|\\.)*)"/.exec(value) ?? []
  return inside === undefined ? value.replace(/\s*[;#].*$/, "").trim() : unescaped(inside)
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, "$1")
}

/** `+refs/heads/*:refs/remotes/origin/*` says where a fetched ref is kept. */
function mapped(ref: string, spec: string): string | undefined {
  const [from = "", to = ""] = spec.replace(/^\+/, "").split(":")
  const [start = "", end] = from.split("*")
  if (end === undefined) return from === ref && to !== "" ? to : undefined
  const isMeant = ref.startsWith(start) && ref.endsWith(end) && ref.length > from.length - 1
  return isMeant
    ? to.replace("*", () => ref.slice(start.length, ref.length - end.length))
    : undefined
}

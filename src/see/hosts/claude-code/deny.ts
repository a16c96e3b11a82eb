import path from "node:path"
import { globMatcher } from "../glob.ts"
import { isInside } from "../inside.ts"
import type { Folders } from "./folders.ts"
import { type Settings, textsIn, within } from "./settings.ts"

/**
 * Whether a rule forbids the host to read a file. A project's instruction files fall under these
 * rules as everything else does; those of the person and of the organization do not.
 */
export function readDenials(settings: Settings, folders: Folders): (file: string) => boolean {
  const rules = settings.layers.flatMap(({ layer, outcome }) => {
    if (outcome.kind !== "found") return []
    const written = textsIn(within(outcome.values, "permissions", "deny"))
    return written.flatMap((it) => ruleOf(it, layer, folders) ?? [])
  })
  return (file) => rules.some((isDenied) => isDenied(file))
}

type Rule = (file: string) => boolean

function ruleOf(written: string, layer: string, folders: Folders): Rule | undefined {
  if (written.trim() === "Read") return () => true
  const pattern = /^Read\((.+)\)$/.exec(written.trim())?.[1]
  if (pattern === undefined) return undefined
  const { base, rest } = anchor(pattern, layer, folders)
  const isAnywhere = !rest.replace(/\/$/, "").includes("/")
  const plain = isAnywhere ? `**/${rest}` : rest
  const globs = [plain, `${plain.replace(/\/$/, "")}/**`]
  const matchers = globs.map((it) => globMatcher(it, { dot: true }))
  return (file) =>
    isInside(file, base) && matchers.some((isMatch) => isMatch(path.relative(base, file)))
}

/** `//` is the root of the disk, `~/` home, `/` the folder of the settings, all else the start. */
function anchor(pattern: string, layer: string, folders: Folders) {
  if (pattern.startsWith("//")) return { base: "/", rest: pattern.replace(/^\/+/, "") }
  if (pattern.startsWith("~/")) return { base: folders.home, rest: pattern.slice("~/".length) }
  if (pattern.startsWith("/")) {
    const base = layer === "user" ? folders.config : folders.cwd
    return { base, rest: pattern.slice("/".length) }
  }
  return { base: folders.cwd, rest: pattern.replace(/^\.\//, "") }
}

import { readlinkSync, realpathSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { reasonOf } from "./system-error.ts"

/** As many links as the system itself follows before it calls them a loop. */
const MOST_LINKS = 40

/**
 * Where a write to a path would end up: without links, also when the last names of it are not there
 * yet or a link points to nothing. At once, for those who must answer before anything else happens;
 * undefined when it cannot be told.
 */
export function leadsTo(path: string): string | undefined {
  let at = resolve(path)
  for (let links = 0; links < MOST_LINKS; links++) {
    const next = follow(at)
    if (next === undefined || next.kind === "there") return next?.path
    at = next.path
  }
  return undefined
}

type Followed = { readonly kind: "there" | "further"; readonly path: string }

/** Up to the nearest name that is there, or through the link that points to nothing. */
function follow(path: string): Followed | undefined {
  let names: readonly string[] = []
  for (let at = path; ; at = dirname(at)) {
    const real = read(() => realpathSync(at))
    if (real.kind === "read") return { kind: "there", path: join(real.text, ...names) }
    if (real.reason !== "ENOENT" && real.reason !== "ENOTDIR") return undefined
    const link = read(() => readlinkSync(at))
    if (link.kind === "read") {
      const folder = read(() => realpathSync(dirname(at)))
      if (folder.kind !== "read") return undefined
      return { kind: "further", path: resolve(folder.text, link.text, ...names) }
    }
    if (dirname(at) === at) return undefined
    names = [basename(at), ...names]
  }
}

type Read =
  | { readonly kind: "read"; readonly text: string }
  | { readonly kind: "failed"; readonly reason: string }

function read(look: () => string): Read {
  try {
    return { kind: "read", text: look() }
  } catch (error) {
    return { kind: "failed", reason: reasonOf(error) }
  }
}

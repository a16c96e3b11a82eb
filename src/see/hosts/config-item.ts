import type { Found, Scope } from "./host.ts"
import type { Source } from "./source.ts"

/** A file that decides what a host does and is never sent. */
export function configItem(
  it: { readonly path: string; readonly file: Found["file"] },
  source: Source,
  scope: Scope,
): Found {
  const isProject = scope === "project" || scope === "local"
  return {
    path: it.path,
    ...source,
    scope,
    load: "config-only",
    kind: "instructions",
    trust: isProject ? "project" : "own",
    file: it.file,
    sent: "",
    frame: "",
    later: "",
  }
}

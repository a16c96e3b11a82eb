import type { Found, Scope } from "./host.ts"
import type { Source } from "./source.ts"

/** A file that decides what a host does and is never sent. */
export function configItem(
  it: { readonly path: string; readonly file: Found["file"]; readonly trust: Found["trust"] },
  source: Source,
  scope: Scope,
): Found {
  return {
    path: it.path,
    ...source,
    scope,
    load: "config-only",
    kind: "instructions",
    trust: it.trust,
    file: it.file,
    sent: "",
    frame: "",
    later: "",
  }
}

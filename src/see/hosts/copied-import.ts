import { belongsTo, type Grounds } from "./belongs.ts"
import type { Found } from "./host.ts"

/** A file whose text the host copies into the one that names it: found, and sent with that one. */
export function copiedImport(
  one: {
    readonly path: string
    readonly file: Found["file"]
    readonly by: NonNullable<Found["importedBy"]>
  },
  main: Pick<Found, "scope" | "kind" | "priority">,
  grounds: Grounds,
): Found {
  const { scope, kind, priority } = main
  return {
    scope,
    kind,
    priority,
    path: one.path,
    source: "import",
    reason: "Copied into the file above",
    load: "import",
    trust: belongsTo({ realPath: one.file.realPath, scope }, grounds),
    importedBy: one.by,
    file: one.file,
    sent: "",
    frame: "",
    later: "",
  }
}

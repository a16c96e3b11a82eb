import type { Status } from "../../base/status.ts"
import type { DefinitionCheck, KitPacks } from "../../contract.ts"

export type SkillLine = {
  readonly key: string
  readonly name: string
  readonly kind: string
  readonly description: string
  /** File of the repository, or the pack of the kit. */
  readonly place: string
  readonly mark: Status
}

/** Definitions of the repository first, then those of the kit, installed or not. */
export function skillLines(
  files: DefinitionCheck["files"],
  { packs }: Pick<KitPacks, "packs">,
): readonly SkillLine[] {
  const own = files.map(({ path, kind, name, problems }) => ({
    key: path,
    name,
    kind,
    description: problems[0] ?? "",
    place: path,
    mark: problems.length === 0 ? ("done" as const) : ("failed" as const),
  }))
  const kit = packs.flatMap((pack) =>
    pack.items.map(({ name, kind, description, isInstalled }) => ({
      key: `${pack.name} ${name}`,
      name,
      kind,
      description,
      place: pack.name,
      mark: isInstalled ? ("done" as const) : ("queued" as const),
    })),
  )
  return [...own, ...kit]
}

import type { DefinitionCheck, KitPacks } from "../../contract.ts"
import type { DefinitionLine } from "../../ui/collection/definition-page.tsx"

/** Definitions of the repository first, then those of the kit, installed or not. */
export function skillLines(
  files: DefinitionCheck["files"],
  { packs }: Pick<KitPacks, "packs">,
): readonly DefinitionLine[] {
  const own = files.map(({ path, kind, name, problems }) => ({
    ...named(name, kind),
    key: path,
    description: problems[0] ?? "",
    origin: path,
    mark: problems.length === 0 ? ("done" as const) : ("failed" as const),
  }))
  const kit = packs.flatMap((pack) =>
    pack.items.map(({ name, kind, description, isInstalled }) => ({
      ...named(name, kind),
      key: `${pack.name} ${name}`,
      description,
      origin: pack.name,
      mark: isInstalled ? ("done" as const) : ("queued" as const),
    })),
  )
  return [...own, ...kit]
}

const named = (name: string, kind: string) => ({
  name,
  title: name,
  show: name,
  state: { label: kind, tone: "2" as const },
})

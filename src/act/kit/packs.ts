import { nearest } from "#ground/base"
import type { KitPacks } from "#ground/contract"
import { isChosen, type PackChoice } from "./desired-files.ts"
import { KitMissing, PackUnknown } from "./errors.ts"
import type { Template } from "./hosts/host.ts"
import { lookAtInstalled } from "./installed-kit.ts"
import { readManifest } from "./manifest.ts"
import { type KitDeps, type KitPlan, planChange } from "./plan.ts"
import { PACKS, readTemplates, SQUADS } from "./templates.ts"

export type PackChange = {
  readonly action: "install" | "remove"
  readonly packs: readonly string[]
}

/** Commands first, then agents, each in the order of its list. */
const NAMES: readonly string[] = [...PACKS, ...SQUADS.map((it) => `squad-${it}`)]

/** The text of a template in the listing at session start. */
export function listedLine({ name, description }: Pick<Template, "description" | "name">): string {
  return `- qm-${name}: ${description}`
}

export async function listPacks(deps: KitDeps): Promise<KitPacks> {
  const templates = await readTemplates(deps.templates)
  const { packs: choice } = await readManifest(deps.home)
  const { level } = await lookAtInstalled(deps)
  const isHere = (it: Template) => level !== null && isChosen(it, level, choice)
  const packs: KitPacks["packs"] = []
  for (const name of NAMES) {
    const own = templates.filter((it) => it.pack === name)
    const here = own.filter(isHere)
    packs.push({
      name,
      state: stateOf(name, { choice, here: here.length, all: own.length }),
      level: Math.min(7, ...own.map((it) => it.level)),
      tokens: await tokensOf(here, deps),
      allTokens: await tokensOf(own, deps),
      items: own.map((it) => ({
        name: it.name,
        kind: it.kind,
        description: it.description,
        isInstalled: isHere(it),
      })),
    })
  }
  return { level, packs, startTokens: packs.reduce((sum, it) => sum + it.tokens, 0) }
}

async function tokensOf(listed: readonly Template[], deps: KitDeps): Promise<number> {
  return listed.length === 0 ? 0 : deps.countTokens(listed.map(listedLine).join("\n"))
}

function stateOf(
  name: string,
  it: { readonly choice: PackChoice; readonly here: number; readonly all: number },
): KitPacks["packs"][number]["state"] {
  if (it.choice.removed.includes(name)) return "removed"
  if (it.here === 0) return "not installed"
  return it.here === it.all ? "installed" : "partly installed"
}

/** The same level and hosts, with packs added or removed. Throws for an unknown pack. */
export async function planPacks(
  deps: KitDeps,
  { action, packs }: PackChange,
  signal: AbortSignal,
): Promise<KitPlan> {
  for (const name of packs) {
    if (NAMES.includes(name)) continue
    throw PackUnknown({ name, nearest: nearest(name, NAMES) })
  }
  const { level, hosts } = await lookAtInstalled(deps)
  if (level === null) throw KitMissing({})
  const { packs: before } = await readManifest(deps.home)
  const without = (names: readonly string[]) => names.filter((it) => !packs.includes(it))
  const choice: PackChoice =
    action === "install"
      ? { added: [...without(before.added), ...packs].toSorted(), removed: without(before.removed) }
      : { added: without(before.added), removed: [...without(before.removed), ...packs].toSorted() }
  return (await planChange(deps, { hosts, level, packs: choice }, { signal })).plan
}

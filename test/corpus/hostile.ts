import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { HostileCases, HostilePlace } from "./cases/case.ts"
import { NAME_CASES } from "./cases/names.ts"
import { REPOSITORY_CASES } from "./cases/repositories.ts"
import { RULE_CASES } from "./cases/rules.ts"
import { TEXT_CASES } from "./cases/texts.ts"
import { THING_CASES } from "./cases/things.ts"

export { closeHostileSockets } from "./cases/things.ts"

/** The canary outside the tree: output that contains it comes from a forbidden read. */
export const OUTSIDE_TEXT = "outside-canary-7f3a91"

/** Every case of PROMISES (hostile corpus) that a walk, a read or an ignore file can meet. */
const HOSTILE: HostileCases = {
  ...NAME_CASES,
  ...THING_CASES,
  ...TEXT_CASES,
  ...RULE_CASES,
  ...REPOSITORY_CASES,
}

export const HOSTILE_CASE_COUNT = Object.keys(HOSTILE).length

export function makeHostileTree(place: HostilePlace): ReadonlyMap<string, string> {
  mkdirSync(place.outside, { recursive: true })
  writeFileSync(join(place.outside, "secret"), OUTSIDE_TEXT)
  const expected = new Map<string, string>()
  for (const [name, make] of Object.entries(HOSTILE)) {
    const folder = join(place.root, name)
    mkdirSync(folder, { recursive: true })
    for (const [path, what] of Object.entries(make(folder, place)))
      expected.set(`${name}/${path}`, what)
  }
  return expected
}

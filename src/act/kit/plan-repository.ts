import path from "node:path"
import { inspectText } from "./files/inspect.ts"
import { type EnrolledRepository, type FileRecord, type Files, splitFiles } from "./manifest.ts"
import { newMark, readMark } from "./mark.ts"
import { reconcileDeps } from "./ours.ts"
import type { Asked, KitDeps } from "./plan.ts"
import { reconcile, recordsOf } from "./reconcile.ts"
import { readSetting } from "./texts/setting.ts"
import { wantedForRepository } from "./wanted.ts"

/** What becomes of the files in the repository and in its state. */
export async function planRepository(
  deps: KitDeps,
  own: EnrolledRepository | undefined,
  asked: Asked | undefined,
) {
  const { root, stateDirectory } = deps.repository
  // Files of another worktree, which may lie inside of this one, stay until all of it is taken out.
  const isOurs = (it: FileRecord) =>
    it.within === root || it.within === path.dirname(stateDirectory)
  const isElsewhere = (_: string, it: FileRecord) => asked !== undefined && !isOurs(it)
  const mark = await readMark(stateDirectory)
  const listed = { ...mark.record, ...own?.files }
  const [elsewhere, here] = splitFiles(listed, isElsewhere)
  const place = { root, stateDirectory, configFile: deps.configFile }
  const wanted =
    asked === undefined
      ? []
      : wantedForRepository(place, {
          ...asked,
          writesLevel: await needsLevel(deps, here, asked.level),
          mark: mark.bytes ?? newMark(deps.clock.now()),
        })
  const steps = await reconcile(wanted, here, reconcileDeps(deps))
  return { steps, files: { ...elsewhere, ...recordsOf(steps) } }
}

/** Nothing is put into the project that it says already, or that holds without it. */
async function needsLevel(deps: KitDeps, files: Files, level: number): Promise<boolean> {
  if (files[deps.configFile] !== undefined) return true
  const file = { path: deps.configFile, section: "kit", name: "level" }
  const spot = await inspectText({ path: deps.configFile, within: deps.repository.root })
  const text = spot.found?.bytes.toString().replace(/^\uFEFF/, "") ?? ""
  const said = readSetting(file, text)
  return (said ?? (await deps.level())) !== level
}

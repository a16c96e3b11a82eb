import path from "node:path"
import { inspect } from "./files/inspect.ts"
import type { Write } from "./files/transaction.ts"
import { type Manifest, manifestFile, renderManifest } from "./manifest.ts"
import { backupName, type Step } from "./reconcile.ts"
import { kitFolder } from "./wanted.ts"

/** The bytes as they were before us, once for each content; they stay after an uninstall, too. */
export async function backupWrites(
  home: string,
  steps: readonly Step[],
): Promise<readonly Write[]> {
  const writes = new Map<string, Write>()
  for (const { backup } of steps) {
    if (backup === undefined) continue
    const file = path.join(kitFolder(home), "backups", backupName(backup))
    const spot = await inspect({ path: file, within: home })
    if (spot.found?.bytes.equals(backup.bytes) === true) continue
    writes.set(file, writeOf(spot, { bytes: backup.bytes, mode: 0o600 }))
  }
  return [...writes.values()]
}

/** Nothing when it says the same as before. */
export async function manifestWrite(home: string, manifest: Manifest): Promise<readonly Write[]> {
  const spot = await inspect({ path: manifestFile(home), within: home })
  const text = renderManifest(manifest)
  if (text === undefined) return spot.found === undefined ? [] : [writeOf(spot, undefined)]
  const after = { bytes: Buffer.from(text), mode: 0o600 }
  return spot.found?.bytes.equals(after.bytes) === true ? [] : [writeOf(spot, after)]
}

function writeOf(spot: Awaited<ReturnType<typeof inspect>>, after: Write["after"]): Write {
  return {
    realPath: spot.realPath,
    before: spot.found,
    after,
    foldersToMake: spot.missingFolders,
    foldersToClear: [],
    folderMode: 0o700,
  }
}

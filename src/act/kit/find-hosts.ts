import { statFile } from "#ground/base"
import { KIT_HOSTS, type KitHost } from "#ground/contract"
import { loadHost, realDisk } from "#see/hosts"
import { HOST_FORMS } from "./hosts/hosts.ts"
import type { KitDeps } from "./plan.ts"

/** The hosts on this machine: their program is on the PATH, or their folder is there. */
export async function findHosts(deps: KitDeps): Promise<readonly KitHost[]> {
  const found: KitHost[] = []
  for (const host of KIT_HOSTS) if (await isHere(host, deps)) found.push(host)
  return found
}

async function isHere(host: KitHost, deps: KitDeps): Promise<boolean> {
  const { userHome, environment, platform, repository } = deps
  const place = { workingDirectory: repository.root, home: userHome, environment, platform }
  const program = await (await loadHost(host)).findInstalled(place, realDisk())
  if (program !== undefined) return true
  // Gemini's folder says nothing about Antigravity, which only shares it.
  if (host === "antigravity") return false
  return (await statFile(HOST_FORMS[host].folder(deps))).kind === "found"
}

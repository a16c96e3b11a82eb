import type { Disk } from "../disk.ts"
import type { Host, Place, Survey } from "../host.ts"
import { findProgram } from "../installed.ts"
import { createLook } from "../look.ts"
import { agentItems } from "./agents.ts"
import { findFolders, namedFolders, RULES_VARIABLE } from "./folders.ts"
import { instructionItems } from "./instructions.ts"
import { ruleItems } from "./rules.ts"
import { readLastSession } from "./session.ts"
import { readSettings } from "./settings.ts"
import { skillItems } from "./skills.ts"

export const copilot: Host = {
  name: "copilot",
  title: "Copilot CLI",
  factsVersions: ["1.0.102"],
  isVerified: true,
  survey,
  findInstalled: (place, disk) =>
    findProgram(place, disk, { names: ["copilot"], packages: PACKAGES }),
  readLastSession,
}

/** The program itself lies in the package of its platform. */
const PACKAGES = ["@github/copilot", ...platformPackages()]

function platformPackages(): readonly string[] {
  const systems = ["linux", "linuxmusl", "darwin", "win32"]
  return systems.flatMap((system) =>
    ["x64", "arm64"].map((it) => `@github/copilot-${system}-${it}`),
  )
}

async function survey(place: Place, disk: Disk): Promise<Survey> {
  const look = createLook(disk)
  const folders = await findFolders(place, look)
  const added = namedFolders(place, RULES_VARIABLE)
  const settings = await readSettings(look, folders)
  const skills = await skillItems(look, folders, place)
  const agents = await agentItems(look, folders)
  const instructions = await instructionItems(look, folders)
  const rules = await ruleItems(look, folders, added)
  return {
    items: [
      ...settings.items.filter((it) => it.priority === 0),
      ...skills,
      ...agents,
      ...instructions,
      ...rules,
      ...settings.items.filter((it) => it.priority > 0),
    ],
    searched: look.searched(),
    layers: settings.layers,
    mcpServers: settings.mcpServers,
    notes: look.notes(),
  }
}

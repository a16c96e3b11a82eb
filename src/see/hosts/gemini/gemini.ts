import type { Disk } from "../disk.ts"
import type { Host, Place, Survey } from "../host.ts"
import { findProgram } from "../installed.ts"
import { createLook } from "../look.ts"
import { agentItems, skillItems } from "./listings.ts"
import { memoryItems } from "./memory.ts"
import { layersOf, mcpServers, readSettings, settingsItems } from "./settings.ts"

export const gemini: Host = {
  name: "gemini",
  title: "Gemini CLI",
  factsVersions: ["0.61.0"],
  isVerified: true,
  survey,
  findInstalled: (place, disk) =>
    findProgram(place, disk, { names: ["gemini"], packages: ["@google/gemini-cli"] }),
}

async function survey(place: Place, disk: Disk): Promise<Survey> {
  const look = createLook(disk)
  const settings = await readSettings(place, look)
  const config = settingsItems(settings)
  const agents = await agentItems(look, settings)
  const skills = await skillItems(look, settings)
  const memory = await memoryItems(look, settings)
  return {
    items: [
      ...config.filter((it) => it.priority === 0),
      ...agents,
      ...skills,
      ...memory,
      ...config.filter((it) => it.priority > 0),
    ],
    searched: look.searched(),
    layers: layersOf(settings),
    mcpServers: mcpServers(settings),
    notes: look.notes(),
  }
}

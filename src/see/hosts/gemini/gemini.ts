import { startOf } from "../baseline.ts"
import type { Disk } from "../files/disk.ts"
import { findProgram } from "../find-program.ts"
import type { Host, HostPlace, Survey } from "../host.ts"
import { createSurveyReader } from "../survey-reader.ts"
import { agentItems, skillItems } from "./listings.ts"
import { memoryItems } from "./memory.ts"
import { layersOf, mcpServers, readSettings, settingsItems } from "./settings.ts"
import { GEMINI_BASELINES } from "./start.generated.ts"

const CONTEXT_KEYS = [
  "agents",
  "context",
  "contextFileName",
  "coreTools",
  "excludeTools",
  "experimental",
  "general.defaultApprovalMode",
  "hooks",
  "hooksConfig",
  "mcp.allowed",
  "mcp.excluded",
  "mcp.serverCommand",
  "mcpServers",
  "memoryImportFormat",
  "model",
  "security.folderTrust",
  "skills",
  "tools",
]

export const gemini: Host = {
  name: "gemini",
  title: "Gemini CLI",
  factsVersions: ["0.61.0"],
  isVerified: true,
  contextKeys: CONTEXT_KEYS,
  survey,
  findInstalled: (place, disk) =>
    findProgram(place, disk, { names: ["gemini"], packages: ["@google/gemini-cli"] }),
}

async function survey(place: HostPlace, disk: Disk): Promise<Survey> {
  const reader = createSurveyReader(disk)
  const settings = await readSettings(place, reader)
  const config = settingsItems(settings)
  const agents = await agentItems(reader, settings)
  const skills = await skillItems(reader, settings)
  const memory = await memoryItems(reader, settings)
  return {
    items: [
      ...config.filter((it) => it.priority === 0),
      ...agents,
      ...skills,
      ...memory,
      ...config.filter((it) => it.priority > 0),
    ],
    searched: reader.searched(),
    layers: layersOf(settings),
    mcpServers: mcpServers(settings),
    notes: reader.notes(),
    ...startOf(GEMINI_BASELINES, place),
  }
}

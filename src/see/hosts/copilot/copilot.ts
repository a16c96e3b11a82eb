import { startOf } from "../baseline.ts"
import type { Disk } from "../files/disk.ts"
import { findProgram } from "../find-program.ts"
import type { Host, HostPlace, Survey } from "../host.ts"
import { createSurveyReader } from "../survey-reader.ts"
import { agentItems } from "./agents.ts"
import { findFolders, namedFolders, RULES_VARIABLE } from "./folders.ts"
import { instructionItems } from "./instructions.ts"
import { ruleItems } from "./rules.ts"
import { readLastSession } from "./session.ts"
import { readSettings } from "./settings.ts"
import { skillItems } from "./skills.ts"
import { COPILOT_BASELINES } from "./start.generated.ts"

const CONTEXT_KEYS = [
  "custom_agents",
  "disableAllHooks",
  "disabledMcpServers",
  "disabledSkills",
  "experimental",
  "hooks",
  "mcpServers",
  "model",
  "reasoning_effort",
  "skills",
  "trustedFolders.<here>",
  "trusted_folders.<here>",
  "version",
]

export const copilot: Host = {
  name: "copilot",
  title: "Copilot CLI",
  factsVersions: ["1.0.102"],
  isVerified: true,
  contextKeys: CONTEXT_KEYS,
  survey,
  findInstalled: (place, disk) =>
    findProgram(place, disk, { names: ["copilot"], packages: PACKAGES }),
  readLastSession,
}

/** The program itself is in the package of its platform. */
const PACKAGES = ["@github/copilot", ...platformPackages()]

function platformPackages(): readonly string[] {
  const systems = ["linux", "linuxmusl", "darwin", "win32"]
  return systems.flatMap((system) =>
    ["x64", "arm64"].map((it) => `@github/copilot-${system}-${it}`),
  )
}

async function survey(place: HostPlace, disk: Disk): Promise<Survey> {
  const reader = createSurveyReader(disk)
  const folders = await findFolders(place, reader)
  const added = namedFolders(place, RULES_VARIABLE)
  const settings = await readSettings(reader, folders)
  const skills = await skillItems(reader, folders, place)
  const agents = await agentItems(reader, folders)
  const instructions = await instructionItems(reader, folders)
  const rules = await ruleItems(reader, folders, added)
  return {
    items: [
      ...settings.items.filter((it) => it.priority === 0),
      ...skills,
      ...agents,
      ...instructions,
      ...rules,
      ...settings.items.filter((it) => it.priority > 0),
    ],
    searched: reader.searched(),
    layers: settings.layers,
    mcpServers: settings.mcpServers,
    notes: reader.notes(),
    ...startOf(COPILOT_BASELINES, place),
  }
}

import type { StageKind } from "#ground/contract"
import type { StageWork } from "../stage.ts"
import { agentStage } from "./agent.ts"
import { askStage } from "./ask.ts"
import { documentStage } from "./document/document.ts"
import type { StagePorts } from "./ports.ts"
import { retrieveStage } from "./retrieve.ts"
import { toolsStage } from "./tools.ts"
import { verifyStage } from "./verify.ts"
import { webStage } from "./web.ts"

export function createStages(ports: StagePorts): Readonly<Record<StageKind, StageWork>> {
  return {
    ask: askStage(ports),
    web: webStage(ports),
    tools: toolsStage(ports),
    retrieve: retrieveStage(ports),
    verify: verifyStage(ports),
    document: documentStage(),
    agent: agentStage(ports),
  }
}

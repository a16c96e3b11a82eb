export type { AgentEnd, AgentStart, StagePorts } from "./ports.ts"
export { createStages } from "./stages.ts"

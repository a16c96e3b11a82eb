// Runs: started, steered, kept.

export { agentHandlers, pipelineHandlers } from "./handlers.ts"
export type { Pipelines, PipelinesDeps } from "./pipeline.ts"
export { createPipelines } from "./pipeline.ts"

// Agents as folders.

export { createFolders } from "./folder/folders.ts"

// What stages do, and who answers them offline.

export { offlineBrain } from "./offline/offline-model.ts"
export type { StageWork } from "./stage.ts"
export type { AgentEnd, AgentStart, StagePorts } from "./stages/index.ts"
export { createStages } from "./stages/index.ts"
export { postProcess } from "./stages/post-process.ts"

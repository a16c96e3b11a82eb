export { DefinitionUnknown } from "./errors.ts"
export { swarmHandlers } from "./handlers.ts"
export type { SwarmRoom } from "./swarm.ts"
export { createSwarm } from "./swarm.ts"

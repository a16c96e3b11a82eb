import type { Handlers, swarmOperations } from "#ground/contract"
import type { SwarmRoom } from "./swarm.ts"

type HandlerDeps = { swarm(): Promise<SwarmRoom> }

export const swarmHandlers = ({ swarm }: HandlerDeps): Handlers<typeof swarmOperations> => ({
  plan: async (input, call) => (await swarm()).plan(input, call),
  run: async (input, call) => (await swarm()).run(input, call),
  review: async (_, call) => (await swarm()).review(call),
  approve: async (input, call) => (await swarm()).approve(input, call),
  reject: async (input, call) => (await swarm()).sendBack(input, call),
  pause: async (input) => (await swarm()).pause(input),
  retry: async (input, call) => (await swarm()).retry(input, call),
  discard: async (input, call) => (await swarm()).discard(input, call),
})

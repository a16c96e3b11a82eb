import type { gatewayOperations, Handlers } from "#ground/contract"
import type { Keeping } from "./keeping.ts"

type Deps = {
  gateway(): Promise<Pick<Keeping, "list" | "show" | "request" | "texts" | "delete">>
}

export const gatewayHandlers = ({ gateway }: Deps): Handlers<typeof gatewayOperations> => ({
  list: async (input) => (await gateway()).list(input),
  show: async (input) => (await gateway()).show(input),
  request: async (input) => (await gateway()).request(input),
  texts: async (input) => (await gateway()).texts(input),
  delete: async (input) => (await gateway()).delete(input),
})

import { defineOperation, SIGNATURES } from "#ground/contract"
import type { Keeping } from "./keeping.ts"

type Deps = {
  gateway(): Promise<Pick<Keeping, "list" | "show" | "request" | "texts" | "delete">>
}

const surfaces = ["cli", "http"] as const

/** What a person may ask of that which went over the wire. */
export function gatewayOperations({ gateway }: Deps) {
  return [
    defineOperation({
      name: "gateway.list",
      summary: "List the hosts whose requests went through the gateway, newest first",
      effect: "read",
      surfaces,
      ...SIGNATURES["gateway.list"],
      run: async (input) => (await gateway()).list(input),
    }),
    defineOperation({
      name: "gateway.show",
      summary: "Show the requests of a run or a carry, with what each cost and what was new",
      effect: "read",
      surfaces,
      ...SIGNATURES["gateway.show"],
      run: async (input) => (await gateway()).show(input),
    }),
    defineOperation({
      name: "gateway.request",
      summary: "Show everything that one request to a model held",
      effect: "read",
      surfaces,
      ...SIGNATURES["gateway.request"],
      run: async (input) => (await gateway()).request(input),
    }),
    defineOperation({
      name: "gateway.texts",
      summary: "Show the texts of one request, or those with certain words, when they were kept",
      effect: "read",
      surfaces,
      ...SIGNATURES["gateway.texts"],
      run: async (input) => (await gateway()).texts(input),
    }),
    defineOperation({
      name: "gateway.delete",
      summary: "Delete what was recorded of one carry",
      effect: "write",
      surfaces,
      ...SIGNATURES["gateway.delete"],
      run: async (input) => (await gateway()).delete(input),
    }),
  ] as const
}

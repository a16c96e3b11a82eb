import { defineOperation, SIGNATURES } from "#ground/contract"
import type { PackDeps } from "./pack.ts"
import { createPack } from "./pack.ts"

const surfaces = ["cli", "http", "mcp"] as const

export function packOperations(deps: PackDeps) {
  const pack = createPack(deps)
  return [
    defineOperation({
      name: "pack.build",
      summary: "Choose what a task needs of this repository, within a budget, and say why",
      effect: "write",
      surfaces,
      ...SIGNATURES["pack.build"],
      run: (input, context) => pack.build(input, context),
    }),
    defineOperation({
      name: "pack.list",
      summary: "List earlier packages, newest first",
      effect: "read",
      surfaces,
      ...SIGNATURES["pack.list"],
      run: (input) => pack.list(input),
    }),
    defineOperation({
      name: "pack.show",
      summary: "Show an earlier package",
      effect: "read",
      surfaces,
      ...SIGNATURES["pack.show"],
      run: (input) => pack.show(input),
    }),
    defineOperation({
      name: "pack.diff",
      summary: "Compare two packages: files added, removed, changed",
      effect: "read",
      surfaces: ["cli", "http"],
      ...SIGNATURES["pack.diff"],
      run: (input) => pack.diff(input),
    }),
    defineOperation({
      name: "guidelines.list",
      summary: "List the guidelines that apply, and what they say together",
      effect: "read",
      surfaces: ["cli", "http"],
      ...SIGNATURES["guidelines.list"],
      run: (input) => pack.guidelines(input),
    }),
  ] as const
}

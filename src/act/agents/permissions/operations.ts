import { defineOperation, PermissionRule, SIGNATURES } from "#ground/contract"
import type { PermissionRules } from "./permissions.ts"

/** Made when first asked for: it needs the places of the repository. */
type Deps = { permissions(): Promise<PermissionRules> }

export function permissionsOperations({ permissions }: Deps) {
  return [
    defineOperation({
      name: "permissions.list",
      summary: "List the rules over what agents may do, in the order in which they are tried",
      effect: "read",
      surfaces: ["cli", "http"],
      ...SIGNATURES["permissions.list"],
      run: async () => (await permissions()).list(),
    }),
    defineOperation({
      name: "permissions.add",
      summary: "Write a rule into the project's file",
      effect: "write",
      surfaces: ["cli", "http"],
      ...SIGNATURES["permissions.add"],
      run: async (input) => (await permissions()).add(given(input)),
    }),
    defineOperation({
      name: "permissions.remove",
      summary: "Take a rule out of the project's file",
      effect: "write",
      surfaces: ["cli", "http"],
      ...SIGNATURES["permissions.remove"],
      run: async ({ id }) => (await permissions()).remove(id),
    }),
    defineOperation({
      name: "permissions.trust",
      summary: "Approve the project's file of rules as it is now",
      effect: "write",
      surfaces: ["cli", "http"],
      ...SIGNATURES["permissions.trust"],
      run: async ({ digest }) => (await permissions()).trust(digest),
    }),
  ] as const
}

/** Only what was given: a key without a value is not the same as no key. */
function given(input: object): PermissionRule {
  const entries = Object.entries(input).filter(([, it]) => it !== undefined)
  return PermissionRule.parse(Object.fromEntries(entries))
}

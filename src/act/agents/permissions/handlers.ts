import { type Handlers, PermissionRule, type permissionsOperations } from "#ground/contract"
import type { PermissionRules } from "./permissions.ts"

/** Made when first asked for: it needs the places of the repository. */
type Deps = { permissions(): Promise<PermissionRules> }

export const permissionsHandlers = ({
  permissions,
}: Deps): Handlers<typeof permissionsOperations> => ({
  list: async () => (await permissions()).list(),
  add: async (input) => (await permissions()).add(given(input)),
  remove: async ({ id }) => (await permissions()).remove(id),
  trust: async ({ digest }) => (await permissions()).trust(digest),
})

/** Only what was given: a key without a value is not the same as no key. */
function given(input: object): PermissionRule {
  const entries = Object.entries(input).filter(([, it]) => it !== undefined)
  return PermissionRule.parse(Object.fromEntries(entries))
}

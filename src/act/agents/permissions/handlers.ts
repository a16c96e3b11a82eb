import { type Handlers, PermissionRule, type permissionsOperations } from "#ground/contract"
import type { PermissionRules } from "./permissions.ts"

type Deps = { permissions(): Promise<PermissionRules> }

export const permissionsHandlers = ({
  permissions,
}: Deps): Handlers<typeof permissionsOperations> => ({
  list: async () => (await permissions()).list(),
  add: async (input) => (await permissions()).add(withoutUndefined(input)),
  remove: async ({ id }) => (await permissions()).remove(id),
  trust: async ({ digest }) => (await permissions()).trust(digest),
})

function withoutUndefined(input: object): PermissionRule {
  const entries = Object.entries(input).filter(([, it]) => it !== undefined)
  return PermissionRule.parse(Object.fromEntries(entries))
}

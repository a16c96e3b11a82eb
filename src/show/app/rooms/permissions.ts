import path from "node:path"
import { createPermissions, type PermissionRules } from "#act/agents"
import { type Log, leadsTo } from "#ground/base"
import type { Config } from "#ground/contract"
import { PROJECT_FOLDER } from "#see/repo"
import type { Places } from "../places.ts"

type Deps = {
  places(): Places
  config(): Config
  readonly log: Log
}

/** The rules over what agents may do, of this repository and this person. */
export function openPermissions(deps: Deps): PermissionRules {
  const { repository, home } = deps.places()
  return createPermissions({
    file: path.join(repository.root, PROJECT_FOLDER, "permissions.json"),
    root: repository.root,
    home,
    settings: () => deps.config().agents,
    resolve: leadsTo,
    log: deps.log,
  })
}

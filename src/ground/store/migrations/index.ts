import { journal } from "./0001-journal.ts"
import { captures } from "./0002-captures.ts"
import { runs } from "./0003-runs.ts"
import { runSources } from "./0004-run-sources.ts"
import { map } from "./0005-map.ts"
import { packs } from "./0006-packs.ts"
import { folds } from "./0007-folds.ts"
import { memories } from "./0008-memories.ts"
import { pipelines } from "./0009-pipelines.ts"
import { knowledge } from "./0010-knowledge.ts"
import { gateway } from "./0011-gateway.ts"
import { gatewayNames } from "./0012-gateway-names.ts"
import { foldCharges } from "./0013-fold-charges.ts"
import { contextSettings } from "./0014-context-settings.ts"
import { sessions } from "./0015-sessions.ts"
import { captureRuns } from "./0016-capture-runs.ts"
import { organising } from "./0017-run-organisation.ts"
import { sourceSwitches } from "./0018-source-switches.ts"
import { gatewayMasks } from "./0019-gateway-masks.ts"
import { people } from "./0020-people.ts"
import { remoteRunners } from "./0021-remote-runners.ts"
import type { Migration } from "./migration.ts"

/** In order. A room adds its tables here; existing migrations never change. */
export const MIGRATIONS: readonly Migration[] = [
  journal,
  captures,
  runs,
  runSources,
  map,
  packs,
  folds,
  memories,
  pipelines,
  knowledge,
  gateway,
  gatewayNames,
  foldCharges,
  contextSettings,
  sessions,
  captureRuns,
  organising,
  sourceSwitches,
  gatewayMasks,
  people,
  remoteRunners,
]

import type { z } from "zod"
import type { Handlers } from "../operation.ts"
import { agentsOperations } from "./agents.ts"
import {
  configOperations,
  dashboardOperations,
  demoOperations,
  doctorOperations,
  fleetOperations,
  hostsOperations,
  nowOperations,
  upgradeOperations,
} from "./app.ts"
import { autonomyOperations } from "./autonomy.ts"
import { benchOperations } from "./bench.ts"
import { boardOperations, ticketOperations } from "./board.ts"
import { captureOperations } from "./capture.ts"
import { connectionOperations } from "./connection.ts"
import { foldOperations } from "./fold.ts"
import { gatewayOperations } from "./gateway.ts"
import { guardOperations } from "./guard.ts"
import { forgeOperations, kitOperations, packsOperations } from "./kit.ts"
import { kbOperations } from "./knowledge.ts"
import { claimOperations, sessionOperations } from "./ledger.ts"
import { mapOperations, searchOperations } from "./map.ts"
import { mediaOperations } from "./media.ts"
import { decisionOperations, memoryOperations } from "./memory.ts"
import { organiseOperations } from "./organise.ts"
import { guidelinesOperations, packOperations } from "./pack.ts"
import { peopleOperations } from "./people.ts"
import { permissionsOperations } from "./permissions.ts"
import { pipelineOperations, recipeOperations } from "./pipeline.ts"
import { planOperations } from "./plan.ts"
import { remoteOperations } from "./remote.ts"
import { auditOperations, reportOperations } from "./report.ts"
import { reviewOperations, syncOperations } from "./review.ts"
import { scaffoldOperations } from "./scaffold.ts"
import { sessionsOperations } from "./sessions.ts"
import { credentialOperations, sourceOperations } from "./sources.ts"
import { eventsOperations, storeOperations } from "./store.ts"
import { swarmOperations } from "./swarm.ts"
import { tokensOperations } from "./tokens.ts"
import { worktreeOperations } from "./worktrees.ts"

/** All surfaces and the reference derive from this table. */
export const OPERATIONS = {
  ...recipeOperations,
  ...agentsOperations,
  ...auditOperations,
  ...autonomyOperations,
  ...benchOperations,
  ...boardOperations,
  ...captureOperations,
  ...claimOperations,
  ...configOperations,
  ...connectionOperations,
  ...credentialOperations,
  ...dashboardOperations,
  ...decisionOperations,
  ...demoOperations,
  ...doctorOperations,
  ...eventsOperations,
  ...fleetOperations,
  ...foldOperations,
  ...forgeOperations,
  ...gatewayOperations,
  ...guardOperations,
  ...guidelinesOperations,
  ...hostsOperations,
  ...kbOperations,
  ...kitOperations,
  ...mapOperations,
  ...mediaOperations,
  ...memoryOperations,
  ...nowOperations,
  ...organiseOperations,
  ...packOperations,
  ...packsOperations,
  ...peopleOperations,
  ...remoteOperations,
  ...permissionsOperations,
  ...pipelineOperations,
  ...planOperations,
  ...reportOperations,
  ...reviewOperations,
  ...scaffoldOperations,
  ...searchOperations,
  ...sessionOperations,
  ...sessionsOperations,
  ...sourceOperations,
  ...storeOperations,
  ...swarmOperations,
  ...syncOperations,
  ...ticketOperations,
  ...tokensOperations,
  ...upgradeOperations,
  ...worktreeOperations,
}

export type OperationName = keyof typeof OPERATIONS
export type OperationGroup = OperationName extends `${infer Group}.${string}` ? Group : never
export type HandlersOf<Group extends OperationGroup> = Handlers<
  Pick<typeof OPERATIONS, Extract<OperationName, `${Group}.${string}`>>
>

export type OperationInput<Name extends OperationName> = z.input<(typeof OPERATIONS)[Name]["input"]>
/** The input with its defaults. */
export type ParsedInput<Name extends OperationName> = z.output<(typeof OPERATIONS)[Name]["input"]>
export type OperationOutput<Name extends OperationName> = z.output<
  (typeof OPERATIONS)[Name]["output"]
>

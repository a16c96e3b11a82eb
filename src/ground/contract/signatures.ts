import type { z } from "zod"
import {
  Capture,
  CaptureDiff,
  CaptureDiffInput,
  CaptureHosts,
  CaptureHostsInput,
  CaptureList,
  CaptureListInput,
  CaptureSettings,
  CaptureSettingsInput,
  CaptureShowInput,
  CaptureTakeInput,
  CaptureText,
  CaptureTextInput,
} from "./capture.ts"
import {
  ConfigCheck,
  ConfigCheckInput,
  ConfigReport,
  ConfigSetInput,
  ConfigSetting,
  ConfigShowInput,
  ConfigUnsetInput,
} from "./config-report.ts"
import { DoctorInput, DoctorReport } from "./doctor.ts"
import { Now, NowInput } from "./now.ts"
import {
  AgentsAnswerInput,
  AgentsApprovals,
  AgentsApprovalsInput,
  AgentsDeleted,
  AgentsDeleteInput,
  AgentsList,
  AgentsListInput,
  AgentsMessages,
  AgentsMessagesInput,
  AgentsSendInput,
  AgentsShowInput,
  AgentsStartInput,
  AgentsStopInput,
  Approval,
  Run,
} from "./run.ts"
import {
  EventsListInput,
  EventsPage,
  StoreBackup,
  StoreBackupInput,
  StoreCheck,
  StoreCheckInput,
  StoreRestore,
  StoreRestoreInput,
  StoreStatus,
  StoreStatusInput,
} from "./store.ts"
import { TokenCount, TokensCountInput } from "./tokens.ts"

/**
 * What goes into each operation and what comes out. The console's client is typed by this list, so
 * it stands here; the operation itself, with what it does, is declared in its room.
 */
export const SIGNATURES = {
  "agents.answer": { input: AgentsAnswerInput, output: Approval },
  "agents.approvals": { input: AgentsApprovalsInput, output: AgentsApprovals },
  "agents.delete": { input: AgentsDeleteInput, output: AgentsDeleted },
  "agents.list": { input: AgentsListInput, output: AgentsList },
  "agents.messages": { input: AgentsMessagesInput, output: AgentsMessages },
  "agents.send": { input: AgentsSendInput, output: Run },
  "agents.show": { input: AgentsShowInput, output: Run },
  "agents.start": { input: AgentsStartInput, output: Run },
  "agents.stop": { input: AgentsStopInput, output: Run },
  "capture.diff": { input: CaptureDiffInput, output: CaptureDiff },
  "capture.hosts": { input: CaptureHostsInput, output: CaptureHosts },
  "capture.list": { input: CaptureListInput, output: CaptureList },
  "capture.settings": { input: CaptureSettingsInput, output: CaptureSettings },
  "capture.show": { input: CaptureShowInput, output: Capture },
  "capture.take": { input: CaptureTakeInput, output: Capture },
  "capture.text": { input: CaptureTextInput, output: CaptureText },
  "config.check": { input: ConfigCheckInput, output: ConfigCheck },
  "config.set": { input: ConfigSetInput, output: ConfigSetting },
  "config.show": { input: ConfigShowInput, output: ConfigReport },
  "config.unset": { input: ConfigUnsetInput, output: ConfigSetting },
  "doctor.run": { input: DoctorInput, output: DoctorReport },
  "events.list": { input: EventsListInput, output: EventsPage },
  "now.show": { input: NowInput, output: Now },
  "store.backup": { input: StoreBackupInput, output: StoreBackup },
  "store.check": { input: StoreCheckInput, output: StoreCheck },
  "store.restore": { input: StoreRestoreInput, output: StoreRestore },
  "store.status": { input: StoreStatusInput, output: StoreStatus },
  "tokens.count": { input: TokensCountInput, output: TokenCount },
} as const satisfies Record<string, { input: z.ZodType; output: z.ZodType }>

export type OperationName = keyof typeof SIGNATURES
export type OperationInput<Name extends OperationName> = z.input<(typeof SIGNATURES)[Name]["input"]>
export type OperationOutput<Name extends OperationName> = z.output<
  (typeof SIGNATURES)[Name]["output"]
>

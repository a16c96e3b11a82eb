export {
  ActivityKind,
  AGENT_TYPES,
  AgentEvent,
  AgentMode,
  AgentType,
  TokenUsage,
} from "./agent.ts"
export {
  BenchRecall,
  BenchScan,
  PairedDifference,
  RankerResult,
  ScanRow,
} from "./bench.ts"
export {
  Agreement,
  Capture,
  CaptureBudget,
  CaptureChange,
  CaptureDiff,
  CaptureHosts,
  CaptureList,
  CaptureSettings,
  CaptureSummary,
  CaptureText,
  EffectiveSetting,
  HOST_NAMES,
  HostName,
  McpServerFound,
  Observation,
  ObservationProblem,
} from "./capture.ts"
export type { ConfigField } from "./config.ts"
export { Config, configFields, TokenEncoding } from "./config.ts"
export { MODEL_PROVIDERS, ModelProvider } from "./config-model.ts"
export { ConfigCheck, ConfigLayer, ConfigReport, ConfigSetting } from "./config-report.ts"
export { DoctorCheck, DoctorReport } from "./doctor.ts"
export type { Emit, EventBody, EventDefinition, EventName, EventRoom } from "./event.ts"
export { Cursor, defineEvent, EVENTS, JournalEntry } from "./event.ts"
export {
  BRANCH_STATUSES,
  Branch,
  BranchEndReason,
  BranchStatus,
  FoldBranch,
  FoldCharge,
  FoldList,
  FoldMode,
  FoldRead,
  FoldRestore,
  FoldReturn,
  FoldSearch,
  FoldShow,
  FoldStatus,
  FoldTree,
  TrailEntry,
} from "./fold.ts"
export { formatBytes, formatCount, formatDuration, formatExact, plural } from "./format.ts"
export {
  ChangedTogether,
  GuardOverride,
  GuardTry,
  GuardVerdicts,
  OpenClaim,
  ReachedFile,
  Receipt,
  RiskReason,
  SimulatedFile,
  Simulation,
  VERDICTS,
  VerdictKind,
  VerdictLine,
} from "./guard.ts"
export {
  Guideline,
  GuidelineAction,
  GuidelineCondition,
  GuidelinesList,
} from "./guideline.ts"
export {
  HOOK_NAMES,
  HookName,
  HookState,
  KIT_HOSTS,
  KitChange,
  KitDone,
  KitHost,
  KitLevelCost,
  KitLevels,
} from "./kit.ts"
export {
  KB_TIERS,
  KbAdded,
  KbBy,
  KbContext,
  KbContradictions,
  KbDocument,
  KbDocuments,
  KbFound,
  KbHit,
  KbParagraph,
  KbParagraphShown,
  KbStatus,
  KbTier,
  KbTrace,
  KbVerification,
  KbWeb,
} from "./knowledge.ts"
export {
  ActivityEntry,
  Claim,
  ClaimList,
  ClaimReleased,
  ClaimTaken,
  LiveSession,
  LoggedSession,
  SessionActivity,
  SessionIndexed,
  SessionList,
  SessionRegistered,
  SessionShow,
} from "./ledger.ts"
export {
  CONTEXT_KINDS,
  ContextKind,
  Load,
  Manifest,
  ManifestItem,
  ManifestNote,
  SearchedPath,
} from "./manifest.ts"
export {
  FoundFile,
  IndexState,
  LinkConfidence,
  MapEntry,
  MapExport,
  MapLink,
  MapScan,
  MapShow,
  MapSymbol,
  MapTree,
  ScanMode,
  ScanResult,
  SearchFind,
  SkippedFile,
  SYMBOL_KINDS,
  SymbolKind,
} from "./map.ts"
export {
  MEMORY_KINDS,
  Memory,
  MemoryCite,
  MemoryInjected,
  MemoryKind,
  MemoryList,
  MemoryRecorded,
  MemorySearch,
  MemorySignals,
  MemorySource,
  MemoryState,
} from "./memory.ts"
export { Message, MessageType } from "./message.ts"
export { Now, NowRow } from "./now.ts"
export type { CallContext, Caller, Operation, Progress, Surface } from "./operation.ts"
export { defineOperation } from "./operation.ts"
export {
  ContextPack,
  PACK_FORMS,
  PackAdvice,
  PackBuilt,
  PackDependency,
  PackDiff,
  PackFile,
  PackForm,
  PackFormat,
  PackLeft,
  PackList,
  PackPiece,
  PackSource,
  PackSummaryItem,
  TASK_ACTIONS,
  TaskAction,
  TaskAnalysis,
} from "./pack.ts"
export {
  PIPELINE_ENDS,
  PIPELINE_STATUSES,
  PipelineEnd,
  PipelineEvent,
  PipelineEventBody,
  PipelineId,
  PipelineLine,
  PipelinePause,
  PipelineRun,
  PipelineStage,
  PipelineStatus,
  PipelineSummary,
} from "./pipeline.ts"
export {
  AgentFolder,
  AgentSlug,
  ConfigProblem,
  DEPTHS,
  Depth,
  DepthConfig,
  Effort,
  PipelineConfig,
  RepairUnit,
  STAGE_KINDS,
  StageConfig,
  StageKind,
  StageScope,
} from "./pipeline-config.ts"
export {
  AgentList,
  AgentShow,
  AgentValidate,
  PipelineCompare,
  PipelineDocument,
  PipelineList,
  PipelineSaid,
  PipelineShow,
} from "./pipeline-operations.ts"
export {
  Approval,
  RUN_ORIGINS,
  RUN_STATUSES,
  Run,
  RunConfiguration,
  RunCost,
  RunStatus,
} from "./run.ts"
export {
  AgentsApprovals,
  AgentsContext,
  AgentsExport,
  AgentsHandoff,
  AgentsList,
  AgentsMessages,
  AgentsParts,
  AgentsProviders,
  AgentsSaved,
  AgentsSessions,
  AgentsTimeline,
  AgentsTurns,
  ContextPart,
  HostSession,
  ListedRule,
  PermissionRule,
  Permissions,
  Provider,
  QueuedTurn,
  RunSpan,
} from "./run-operations.ts"
export type { OperationInput, OperationName, OperationOutput } from "./signatures.ts"
export { SIGNATURES } from "./signatures.ts"
export {
  CredentialName,
  Credentials,
  Source,
  SourceConfig,
  SourceHealth,
  SourceList,
  SourceSlug,
  SourceTest,
} from "./source.ts"
export { EventsPage, StoreBackup, StoreCheck, StoreRestore, StoreStatus } from "./store.ts"
export { CountedText, TokenCount } from "./tokens.ts"
export { WireError } from "./wire-error.ts"

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
export { Config, configFields, ModelProvider, TokenEncoding } from "./config.ts"

export { ConfigCheck, ConfigLayer, ConfigReport, ConfigSetting } from "./config-report.ts"
export { DoctorCheck, DoctorReport } from "./doctor.ts"
export type { Emit, EventBody, EventName, EventRoom } from "./event.ts"
export { Cursor, EVENTS, JournalEntry } from "./event.ts"
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
export {
  GATEWAY_MODES,
  GatewayList,
  GatewayManifest,
  GatewayMode,
  GatewayRequest,
  GatewayShow,
  GatewayTexts,
  GatewayTotals,
  ProxiedSession,
  WIRE_KINDS,
  WireContext,
  WireFold,
  WireItem,
  WireKind,
  WireName,
  WireOutcome,
} from "./gateway.ts"
export {
  GuardOverride,
  GuardTry,
  GuardVerdicts,
  ReachedFile,
  Simulation,
  VERDICTS,
  VerdictKind,
  VerdictLine,
} from "./guard.ts"
export {
  Guideline,
  GuidelineAction,
  GuidelinesList,
} from "./guideline.ts"
export type { InputField } from "./input-fields.ts"
export { inputFields } from "./input-fields.ts"
export { describeIssue } from "./issue.ts"
export {
  GIT_HOOKS,
  type GitHookName,
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
  SessionIndexed,
  SessionList,
  SessionRegistered,
  SessionShow,
} from "./ledger.ts"
export { LIVE_PROTOCOL } from "./live.ts"
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
export { Message } from "./message.ts"
export { Now, NowRow } from "./now.ts"
export type {
  CallContext,
  Caller,
  CliCommand,
  CommandGroup,
  Handlers,
  McpTool,
  Operation,
  Progress,
  ToolSetName,
} from "./operation.ts"
export { defineOperations, TOOL_SETS } from "./operation.ts"
export { agentsOperations } from "./operations/agents.ts"
export {
  configOperations,
  demoOperations,
  doctorOperations,
  nowOperations,
} from "./operations/app.ts"
export { benchOperations } from "./operations/bench.ts"
export { captureOperations } from "./operations/capture.ts"
export { foldOperations } from "./operations/fold.ts"
export { gatewayOperations } from "./operations/gateway.ts"
export { guardOperations } from "./operations/guard.ts"
export { kitOperations } from "./operations/kit.ts"
export { kbOperations } from "./operations/knowledge.ts"
export { claimOperations, sessionOperations } from "./operations/ledger.ts"
export { mapOperations, searchOperations } from "./operations/map.ts"
export { decisionOperations, memoryOperations } from "./operations/memory.ts"
export type {
  HandlersOf,
  OperationGroup,
  OperationInput,
  OperationName,
  OperationOutput,
  ParsedInput,
} from "./operations/operations.ts"
export { OPERATIONS } from "./operations/operations.ts"
export { guidelinesOperations, packOperations } from "./operations/pack.ts"
export { permissionsOperations } from "./operations/permissions.ts"
export { agentOperations, pipelineOperations } from "./operations/pipeline.ts"
export { credentialOperations, sourceOperations } from "./operations/sources.ts"
export { eventsOperations, storeOperations } from "./operations/store.ts"
export { tokensOperations } from "./operations/tokens.ts"
export {
  ContextPack,
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
  TaskAction,
  TaskAnalysis,
} from "./pack.ts"
export {
  AgentList,
  AgentShow,
  AgentValidate,
  PIPELINE_STATUSES,
  PipelineCompare,
  PipelineDocument,
  PipelineEvent,
  PipelineEventBody,
  PipelineLine,
  PipelineList,
  PipelinePause,
  PipelineRun,
  PipelineSaid,
  PipelineShow,
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
  StageConfig,
  StageKind,
  StageScope,
} from "./pipeline-config.ts"
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
  Approval,
  ContextPart,
  HostSession,
  ListedRule,
  PermissionRule,
  Permissions,
  Provider,
  QueuedTurn,
  RUN_STATUSES,
  Run,
  RunConfiguration,
  RunCost,
  RunSpan,
  RunStatus,
} from "./run.ts"
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

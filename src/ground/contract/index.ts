export type { ConfigField, ConfigOutline } from "./config.ts"
export { Config, configFields, outlineConfig, TokenEncoding } from "./config.ts"
export { ModelProvider } from "./config-research.ts"
export type { Emit, EventBody, EventName, EventRoom } from "./event.ts"
export { Cursor, EVENTS, JournalEntry, liftEntry } from "./event.ts"
export type { InputField } from "./input-fields.ts"
export { inputFields } from "./input-fields.ts"
export { describeIssue } from "./issue.ts"
export { LIVE_PROTOCOL } from "./live.ts"
export type {
  CallContext,
  Caller,
  CliCommand,
  CommandGroup,
  Handlers,
  ListedRows,
  McpTool,
  Operation,
  Progress,
  ToolSetName,
} from "./operation.ts"
export { defineOperations, isHuman, isRoleEnough, roleFor, TOOL_SETS } from "./operation.ts"
export { agentsOperations } from "./operations/agents.ts"
export {
  configOperations,
  dashboardOperations,
  demoOperations,
  doctorOperations,
  fleetOperations,
  hostsOperations,
  nowOperations,
  upgradeOperations,
} from "./operations/app.ts"
export { autonomyOperations } from "./operations/autonomy.ts"
export { benchOperations } from "./operations/bench.ts"
export { boardOperations, ticketOperations } from "./operations/board.ts"
export { captureOperations } from "./operations/capture.ts"
export { connectionOperations } from "./operations/connection.ts"
export { foldOperations } from "./operations/fold.ts"
export { gatewayOperations } from "./operations/gateway.ts"
export { guardOperations } from "./operations/guard.ts"
export { forgeOperations, kitOperations, packsOperations } from "./operations/kit.ts"
export { kbOperations } from "./operations/knowledge.ts"
export { claimOperations, sessionOperations } from "./operations/ledger.ts"
export { loadOperation, loadOperations } from "./operations/load-operation.ts"
export { mapOperations, searchOperations } from "./operations/map.ts"
export { type MediaWritten, mediaOperations } from "./operations/media.ts"
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
export { organiseOperations } from "./operations/organise.ts"
export { guidelinesOperations, packOperations } from "./operations/pack.ts"
export { peopleOperations } from "./operations/people.ts"
export { permissionsOperations } from "./operations/permissions.ts"
export { pipelineOperations, recipeOperations } from "./operations/pipeline.ts"
export { planOperations } from "./operations/plan.ts"
export { remoteOperations } from "./operations/remote.ts"
export { auditOperations, reportOperations } from "./operations/report.ts"
export { reviewOperations, syncOperations } from "./operations/review.ts"
export { scaffoldOperations } from "./operations/scaffold.ts"
export { sessionsOperations } from "./operations/sessions.ts"
export { credentialOperations, sourceOperations } from "./operations/sources.ts"
export { eventsOperations, storeOperations } from "./operations/store.ts"
export { swarmOperations } from "./operations/swarm.ts"
export { tokensOperations } from "./operations/tokens.ts"
export { worktreeOperations } from "./operations/worktrees.ts"
export { parseSecretPattern, splitSecretPatterns } from "./secret-pattern.ts"
export {
  ActivityKind,
  AGENT_TYPES,
  AgentEvent,
  AgentMode,
  AgentType,
  TokenUsage,
} from "./shapes/agent.ts"
export {
  ConfigCheck,
  ConfigLayer,
  ConfigReport,
  ConfigSetting,
  DoctorCheck,
  DoctorReport,
  HostStatus,
  HostsList,
  Now,
  NowRow,
  RepositoriesList,
  RepositoryEntry,
  RepositoryState,
} from "./shapes/app.ts"
export {
  AUTONOMY_AREAS,
  Autonomy,
  AutonomyAnswer,
  AutonomyArea,
  type AutonomyMeasure,
} from "./shapes/autonomy.ts"
export {
  BenchIssues,
  BenchLines,
  BenchMemory,
  BenchRecall,
  BenchScan,
  IssueRanker,
  LineResult,
  PairedDifference,
  RankerResult,
  ScanRow,
} from "./shapes/bench.ts"
export {
  Board,
  BoardActor,
  BoardEvent,
  BoardEvents,
  EvidenceCaptured,
  LANES,
  Lane,
  Ticket,
  TicketCriterion,
  TicketDetail,
  TicketEvidence,
  TicketList,
  TicketPriority,
  TicketProblem,
  TicketSeverity,
  TicketType,
} from "./shapes/board.ts"
export {
  Agreement,
  Capture,
  CaptureAdvice,
  CaptureBudget,
  CaptureChange,
  CaptureDiff,
  CaptureHeadline,
  CaptureHosts,
  CaptureLint,
  CaptureList,
  CaptureSettings,
  CaptureSummary,
  CaptureText,
  EffectiveSetting,
  HOST_NAMES,
  HostName,
  INSTALL_COMMANDS,
  McpServerLine,
  Observation,
  ObservationProblem,
} from "./shapes/capture.ts"
export {
  ConnectionTest,
  ModelConnection,
  ModelConnections,
} from "./shapes/connection.ts"
export {
  BRANCH_STATUSES,
  Branch,
  BranchCharges,
  BranchEndReason,
  BranchStatus,
  CHARGE_SOURCES,
  ChargeSource,
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
} from "./shapes/fold.ts"
export {
  AutoFoldMode,
  CacheCause,
  CacheReport,
  CacheSettings,
  GATEWAY_MODES,
  GatewayCache,
  GatewayFolded,
  GatewayList,
  GatewayManifest,
  GatewayMasks,
  GatewayMode,
  GatewayRequest,
  GatewayShow,
  GatewayTexts,
  GatewayTotals,
  MaskKind,
  ProxiedSession,
  WIRE_KINDS,
  WireContext,
  WireFold,
  WireItem,
  WireKind,
  WireMasks,
  WireName,
  WireOutcome,
} from "./shapes/gateway.ts"
export {
  GuardOverride,
  GuardTry,
  GuardVerdicts,
  ReachedFile,
  Simulation,
  VERDICTS,
  VerdictKind,
  VerdictLine,
} from "./shapes/guard.ts"
export {
  DefinitionCheck,
  DefinitionText,
  DiagramCheck,
  ForgedDefinition,
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
  KitPacks,
} from "./shapes/kit.ts"
export {
  KB_TIERS,
  KbAdded,
  KbBy,
  KbContext,
  KbContradictions,
  KbDocument,
  KbDocuments,
  KbHit,
  KbOriginal,
  KbParagraph,
  KbParagraphShown,
  KbSearchResult,
  KbStatus,
  KbTier,
  KbTrace,
  KbVerification,
  KbWeb,
} from "./shapes/knowledge.ts"
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
} from "./shapes/ledger.ts"
export {
  Load,
  Manifest,
  ManifestItem,
  ManifestNote,
  SearchedPath,
} from "./shapes/manifest.ts"
export {
  FoundFile,
  IndexState,
  LinkConfidence,
  MapEntry,
  MapExport,
  MapFolder,
  MapLink,
  MapMeasures,
  MapPeriod,
  MapScan,
  MapShow,
  MapSymbol,
  MapTile,
  MapTree,
  MapTreemap,
  MapUsers,
  NeighbourFolder,
  ScanMode,
  ScanResult,
  SearchFind,
  SearchNames,
  SkippedFile,
  SYMBOL_KINDS,
  SymbolKind,
} from "./shapes/map.ts"
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
} from "./shapes/memory.ts"
export {
  OrganisedLabel,
  OrganisedState,
  OrganisedView,
  Organising,
} from "./shapes/organise.ts"
export type { FoundRecord } from "./shapes/pack.ts"
export {
  ContextPack,
  Guideline,
  GuidelineAction,
  GuidelinesList,
  PackAdvice,
  PackBuilt,
  PackDependency,
  PackDiff,
  PackExpectation,
  PackFile,
  PackForm,
  PackFormat,
  PackLeft,
  PackList,
  PackPiece,
  PackRecord,
  PackSource,
  PackSummaryItem,
  TaskAction,
  TaskAnalysis,
} from "./shapes/pack.ts"
export type { CallingPerson } from "./shapes/person.ts"
export {
  AuditEntry,
  AuditLog,
  Invitation,
  IssuedToken,
  PeopleList,
  Person,
  PersonToken,
  PersonTokens,
  ROLES,
  Role,
  TokenScope,
} from "./shapes/person.ts"
export {
  PIPELINE_STATUSES,
  PipelineCompare,
  PipelineDocument,
  PipelineEvent,
  PipelineEventBody,
  PipelineLine,
  PipelineList,
  PipelinePause,
  PipelineReply,
  PipelineRun,
  PipelineShow,
  PipelineStage,
  PipelineStatus,
  PipelineSummary,
  RecipeList,
  RecipeShow,
  RecipeValidate,
} from "./shapes/pipeline.ts"
export {
  type CitationField,
  ConfigProblem,
  DEPTHS,
  Depth,
  DepthConfig,
  Effort,
  PipelineConfig,
  RecipeFolder,
  RecipeSlug,
  RepairUnit,
  StageCall,
  StageConfig,
  StageKind,
  StageScope,
  VerificationConfig,
} from "./shapes/pipeline-config.ts"
export { Plan, PlanId, PlanList, PlanState, PlanStatus, PlanText } from "./shapes/plan.ts"
export {
  RemoteMessage,
  RemoteMessages,
  RemoteMode,
  RemoteReported,
  RemoteRepository,
  RemoteRun,
  RemoteRunner,
  RemoteRunners,
  RemoteRuns,
  RemoteState,
  RunnerId,
  SharedItem,
  SharedItems,
  SharedKind,
} from "./shapes/remote.ts"
export {
  type ApiChange,
  ApiReport,
  ChangeDraft,
  DebtReport,
  type DependencyFinding,
  DependencyReport,
  type ReportedTicket,
  Retro,
  Roadmap,
  type SecurityFinding,
  SecurityReport,
  SignOff,
  TestPlan,
  WeekPlan,
  WorkState,
} from "./shapes/report.ts"
export {
  type OtherWork,
  PullRequest,
  ReviewComment,
  ReviewComments,
  ReviewCreated,
  ReviewPosted,
  ReviewStatus,
  ReviewTool,
  SyncCheck,
  SyncPreflight,
  SyncPrepr,
} from "./shapes/review.ts"
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
  Message,
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
} from "./shapes/run.ts"
export {
  type PlannedSymbol,
  type PlannedTest,
  ScaffoldTests,
  type TestProject,
  type TestRunner,
  type TestStack,
} from "./shapes/scaffold.ts"
export type {
  CompactionContent,
  CostBudget,
  CostByType,
  CostChange,
  CostGroup,
  CostMonth,
  ImportState,
  IndexedSession,
  PlanWindow,
  SessionCompaction,
  SessionHit,
  SessionLedger,
  SessionLine,
  SessionsContext,
  SessionsCost,
  SessionsImported,
  SessionsLines,
  SessionsSearch,
  SessionsShow,
  Spend,
  SpentTokens,
} from "./shapes/sessions.ts"
export { SessionRole, SessionsList, TRANSCRIPT_HOSTS, TranscriptHost } from "./shapes/sessions.ts"
export {
  CredentialName,
  CredentialRequest,
  CredentialRequests,
  CredentialState,
  Credentials,
  Source,
  SourceAdded,
  SourceAnswer,
  SourceConfig,
  SourceHealth,
  SourceList,
  SourceLogin,
  SourceLogout,
  SourceOAuth,
  SourceSlug,
  SourceTemplate,
  SourceTemplates,
  SourceTest,
  SourceTools,
} from "./shapes/source.ts"
export { CaptureStart, CONTEXT_KINDS, ContextKind, StartServer } from "./shapes/start.ts"
export { EventsPage, StoreBackup, StoreCheck, StoreRestore, StoreStatus } from "./shapes/store.ts"
export {
  type PlannedTicket,
  Swarm,
  SwarmPlan,
  SwarmReview,
  Workstream,
} from "./shapes/swarm.ts"
export { CountedText, describeScale, TokenCount, TokenScale } from "./shapes/tokens.ts"
export type { SessionsWaste, WasteFinding, WasteFix } from "./shapes/waste.ts"
export { WasteKind } from "./shapes/waste.ts"
export {
  Worktree,
  WorktreeCheck,
  WorktreeCreated,
  WorktreeDiff,
  WorktreeList,
  WorktreeOpened,
  WorktreeRemoved,
} from "./shapes/worktrees.ts"
export { WireError } from "./wire-error.ts"

import type { z } from "zod"
import { OPERATIONS } from "#ground/contract"
import type { Screen } from "../screen.ts"
import {
  renderAgentFolder,
  renderAgentFolders,
  renderAgentShow,
  renderAgentValidate,
} from "./agent-folders.ts"
import { renderApprovals, renderMessages, renderRun, renderRuns } from "./agents.ts"
import { renderBenchScan, renderRecall } from "./bench.ts"
import { renderCapture } from "./capture.ts"
import { renderDiff } from "./capture-diff.ts"
import {
  renderCaptureList,
  renderCaptureText,
  renderHosts,
  renderSettings,
} from "./capture-lists.ts"
import { renderConfig, renderConfigCheck, renderSetting } from "./config.ts"
import { renderCredentials } from "./credentials.ts"
import { renderDoctor } from "./doctor.ts"
import { renderFoldList, renderFoldRestore, renderFoldSearch, renderFoldTree } from "./fold.ts"
import { renderFoldShow } from "./fold-show.ts"
import { renderGatewayList, renderGatewayShow } from "./gateway.ts"
import {
  renderGatewayDeleted,
  renderGatewayRequest,
  renderGatewayTexts,
} from "./gateway-request.ts"
import { renderSimulation } from "./guard.ts"
import { renderKitDone, renderLevels } from "./kit.ts"
import {
  renderKbAdded,
  renderKbDocuments,
  renderKbFound,
  renderKbParagraph,
  renderKbRemoved,
  renderKbStatus,
  renderKbWeb,
} from "./knowledge.ts"
import {
  renderClaimReleased,
  renderClaims,
  renderClaimTaken,
  renderIndexed,
  renderRegistered,
} from "./ledger.ts"
import { renderExportedMap, renderFound, renderScan, renderShow, renderTree } from "./map.ts"
import {
  renderDecisions,
  renderMemory,
  renderMemoryForgotten,
  renderMemoryList,
  renderMemoryNoted,
  renderMemoryRecorded,
  renderMemorySearch,
} from "./memory.ts"
import { renderNow } from "./now.ts"
import { renderGuidelines, renderPack, renderPackDiff, renderPackList } from "./pack.ts"
import {
  renderPipelineCompare,
  renderPipelineDocument,
  renderPipelineRun,
  renderPipelineShow,
  renderPipelineSummary,
  renderPipelines,
} from "./pipelines.ts"
import {
  renderAnswer,
  renderDeleted,
  renderPermissions,
  renderProviders,
  renderSessions,
} from "./run-lists.ts"
import {
  renderContext,
  renderExport,
  renderHandoff,
  renderMessage,
  renderParts,
  renderSaved,
  renderTimeline,
  renderTurns,
} from "./runs.ts"
import { renderSession, renderSessionList } from "./sessions.ts"
import { renderSource, renderSources, renderSourceTest } from "./sources.ts"
import { renderBackup, renderCheck, renderEvents, renderRestore, renderStatus } from "./store.ts"
import { renderTokens } from "./tokens.ts"
import { renderOverride, renderTry, renderVerdicts } from "./verdicts.ts"

/** How an operation's result reads in a terminal, and whether it counts as a failure. */
type Renderer = {
  text(output: unknown, screen: Screen): string
  /** Whether it wants the texts as they are, and makes them safe itself. */
  readonly isExact?: boolean
  exitCode(output: unknown): number
}

/** One entry an operation; what is not listed is printed as JSON. */
export const renderers: Readonly<Record<string, Renderer>> = {
  "agent.list": renderer(OPERATIONS["agent.list"].output, renderAgentFolders),
  "agent.new": renderer(OPERATIONS["agent.new"].output, renderAgentFolder),
  "agent.show": renderer(OPERATIONS["agent.show"].output, renderAgentShow),
  "agent.trust": renderer(OPERATIONS["agent.trust"].output, renderAgentFolder),
  "agent.validate": renderer(
    OPERATIONS["agent.validate"].output,
    renderAgentValidate,
    (it) => it.isValid,
  ),
  "agents.answer": renderer(OPERATIONS["agents.answer"].output, renderAnswer),
  "agents.approvals": renderer(OPERATIONS["agents.approvals"].output, renderApprovals),
  "agents.context": renderer(OPERATIONS["agents.context"].output, renderContext),
  "agents.delete": renderer(OPERATIONS["agents.delete"].output, renderDeleted),
  "agents.drop": renderer(OPERATIONS["agents.drop"].output, renderDeleted),
  "agents.edit": renderer(OPERATIONS["agents.edit"].output, renderRun),
  "agents.export": {
    ...renderer(OPERATIONS["agents.export"].output, renderExport),
    isExact: true,
  },
  "agents.save": renderer(OPERATIONS["agents.save"].output, renderSaved),
  "agents.handoff": renderer(OPERATIONS["agents.handoff"].output, renderHandoff),
  "agents.import": renderer(OPERATIONS["agents.import"].output, renderRun),
  "agents.list": renderer(OPERATIONS["agents.list"].output, renderRuns),
  "agents.message": renderer(OPERATIONS["agents.message"].output, renderMessage),
  "agents.messages": renderer(OPERATIONS["agents.messages"].output, renderMessages),
  "agents.mode": renderer(OPERATIONS["agents.mode"].output, renderRun),
  "agents.parts": renderer(OPERATIONS["agents.parts"].output, renderParts),
  "agents.providers": renderer(OPERATIONS["agents.providers"].output, renderProviders),
  "agents.read": renderer(OPERATIONS["agents.read"].output, renderRun),
  "agents.rewrite": renderer(OPERATIONS["agents.rewrite"].output, renderTurns),
  "agents.sessions": renderer(OPERATIONS["agents.sessions"].output, renderSessions),
  "agents.show": renderer(OPERATIONS["agents.show"].output, renderRun),
  "agents.timeline": renderer(OPERATIONS["agents.timeline"].output, renderTimeline),
  "agents.turns": renderer(OPERATIONS["agents.turns"].output, renderTurns),
  "bench.recall": renderer(OPERATIONS["bench.recall"].output, renderRecall),
  "bench.scan": renderer(
    OPERATIONS["bench.scan"].output,
    renderBenchScan,
    (it) => it.commitsEqual === it.commitsCompared,
  ),
  "capture.take": renderer(OPERATIONS["capture.take"].output, renderCapture),
  "capture.show": renderer(OPERATIONS["capture.show"].output, renderCapture),
  "capture.list": renderer(OPERATIONS["capture.list"].output, renderCaptureList),
  "capture.text": renderer(OPERATIONS["capture.text"].output, renderCaptureText),
  "capture.diff": renderer(OPERATIONS["capture.diff"].output, renderDiff),
  "capture.settings": renderer(OPERATIONS["capture.settings"].output, renderSettings),
  "capture.hosts": renderer(OPERATIONS["capture.hosts"].output, renderHosts),
  "credential.list": renderer(OPERATIONS["credential.list"].output, renderCredentials),
  "credential.remove": renderer(OPERATIONS["credential.remove"].output, renderCredentials),
  "credential.set": renderer(OPERATIONS["credential.set"].output, renderCredentials),
  "config.show": renderer(OPERATIONS["config.show"].output, renderConfig),
  "config.check": renderer(
    OPERATIONS["config.check"].output,
    renderConfigCheck,
    (it) => it.isValid,
  ),
  "config.set": renderer(OPERATIONS["config.set"].output, renderSetting),
  "config.unset": renderer(OPERATIONS["config.unset"].output, renderSetting),
  "doctor.run": renderer(OPERATIONS["doctor.run"].output, renderDoctor, (it) => it.isHealthy),
  "events.list": renderer(OPERATIONS["events.list"].output, renderEvents),
  "fold.list": renderer(OPERATIONS["fold.list"].output, renderFoldList),
  "fold.restore": renderer(OPERATIONS["fold.restore"].output, renderFoldRestore),
  "fold.search": renderer(OPERATIONS["fold.search"].output, renderFoldSearch),
  "fold.show": renderer(OPERATIONS["fold.show"].output, renderFoldShow),
  "fold.tree": renderer(OPERATIONS["fold.tree"].output, renderFoldTree),
  "gateway.delete": renderer(OPERATIONS["gateway.delete"].output, renderGatewayDeleted),
  "gateway.list": renderer(OPERATIONS["gateway.list"].output, renderGatewayList),
  "gateway.request": renderer(OPERATIONS["gateway.request"].output, renderGatewayRequest),
  "gateway.show": renderer(OPERATIONS["gateway.show"].output, renderGatewayShow),
  "gateway.texts": renderer(OPERATIONS["gateway.texts"].output, renderGatewayTexts),
  "claim.list": renderer(OPERATIONS["claim.list"].output, renderClaims),
  "claim.release": renderer(OPERATIONS["claim.release"].output, renderClaimReleased),
  "claim.take": renderer(OPERATIONS["claim.take"].output, renderClaimTaken),
  "decision.add": renderer(OPERATIONS["decision.add"].output, renderMemoryRecorded),
  "decision.list": renderer(OPERATIONS["decision.list"].output, renderDecisions),
  "decision.show": renderer(OPERATIONS["decision.show"].output, renderMemory),
  "session.list": renderer(OPERATIONS["session.list"].output, renderSessionList),
  "session.show": renderer(OPERATIONS["session.show"].output, renderSession),
  "session.index": renderer(OPERATIONS["session.index"].output, renderIndexed),
  "session.register": renderer(OPERATIONS["session.register"].output, renderRegistered),
  "guard.override": renderer(OPERATIONS["guard.override"].output, renderOverride),
  "guard.try": renderer(OPERATIONS["guard.try"].output, renderTry),
  "guard.verdicts": renderer(OPERATIONS["guard.verdicts"].output, renderVerdicts),
  "guard.simulate": renderer(OPERATIONS["guard.simulate"].output, renderSimulation),
  "guidelines.list": renderer(OPERATIONS["guidelines.list"].output, renderGuidelines),
  "kb.add": renderer(OPERATIONS["kb.add"].output, renderKbAdded),
  "kb.documents": renderer(OPERATIONS["kb.documents"].output, renderKbDocuments),
  "kb.paragraph": renderer(OPERATIONS["kb.paragraph"].output, renderKbParagraph),
  "kb.remove": renderer(OPERATIONS["kb.remove"].output, renderKbRemoved),
  "kb.search": renderer(OPERATIONS["kb.search"].output, renderKbFound),
  "kb.status": renderer(OPERATIONS["kb.status"].output, renderKbStatus),
  "kb.web": renderer(OPERATIONS["kb.web"].output, renderKbWeb),
  "kit.init": renderer(OPERATIONS["kit.init"].output, renderKitDone),
  "kit.level": renderer(OPERATIONS["kit.level"].output, renderLevels),
  "kit.uninstall": renderer(OPERATIONS["kit.uninstall"].output, renderKitDone),
  "map.export": renderer(OPERATIONS["map.export"].output, renderExportedMap),
  "map.scan": renderer(OPERATIONS["map.scan"].output, renderScan),
  "map.show": renderer(OPERATIONS["map.show"].output, renderShow),
  "map.tree": renderer(OPERATIONS["map.tree"].output, renderTree),
  "memory.confirm": renderer(OPERATIONS["memory.confirm"].output, renderMemoryNoted),
  "memory.feedback": renderer(OPERATIONS["memory.feedback"].output, renderMemoryNoted),
  "memory.forget": renderer(OPERATIONS["memory.forget"].output, renderMemoryForgotten),
  "memory.list": renderer(OPERATIONS["memory.list"].output, renderMemoryList),
  "memory.record": renderer(OPERATIONS["memory.record"].output, renderMemoryRecorded),
  "memory.search": renderer(OPERATIONS["memory.search"].output, renderMemorySearch),
  "memory.show": renderer(OPERATIONS["memory.show"].output, renderMemory),
  "now.show": renderer(OPERATIONS["now.show"].output, renderNow),
  "pack.build": renderer(OPERATIONS["pack.build"].output, renderPack),
  "pack.diff": renderer(OPERATIONS["pack.diff"].output, renderPackDiff),
  "pack.list": renderer(OPERATIONS["pack.list"].output, renderPackList),
  "pack.show": renderer(OPERATIONS["pack.show"].output, renderPack),
  "pipeline.compare": renderer(OPERATIONS["pipeline.compare"].output, renderPipelineCompare),
  "pipeline.document": renderer(OPERATIONS["pipeline.document"].output, renderPipelineDocument),
  "pipeline.list": renderer(OPERATIONS["pipeline.list"].output, renderPipelines),
  "pipeline.show": renderer(OPERATIONS["pipeline.show"].output, renderPipelineShow),
  "pipeline.stop": renderer(OPERATIONS["pipeline.stop"].output, renderPipelineRun),
  "pipeline.summary": renderer(OPERATIONS["pipeline.summary"].output, renderPipelineSummary),
  "permissions.add": renderer(OPERATIONS["permissions.add"].output, renderPermissions),
  "permissions.list": renderer(OPERATIONS["permissions.list"].output, renderPermissions),
  "permissions.remove": renderer(OPERATIONS["permissions.remove"].output, renderPermissions),
  "permissions.trust": renderer(OPERATIONS["permissions.trust"].output, renderPermissions),
  "search.find": renderer(OPERATIONS["search.find"].output, renderFound),
  "source.approve": renderer(OPERATIONS["source.approve"].output, renderSource),
  "source.list": renderer(OPERATIONS["source.list"].output, renderSources),
  "source.test": renderer(
    OPERATIONS["source.test"].output,
    renderSourceTest,
    ({ source }) => source.health === "ok" || source.health === "slow",
  ),
  "store.status": renderer(OPERATIONS["store.status"].output, renderStatus),
  "store.check": renderer(OPERATIONS["store.check"].output, renderCheck, (it) => it.isSound),
  "store.backup": renderer(OPERATIONS["store.backup"].output, renderBackup),
  "store.restore": renderer(OPERATIONS["store.restore"].output, renderRestore),
  "tokens.count": renderer(OPERATIONS["tokens.count"].output, renderTokens),
}

function renderer<Schema extends z.ZodType>(
  schema: Schema,
  text: (output: z.output<Schema>, screen: Screen) => string,
  isGood?: (output: z.output<Schema>) => boolean,
): Renderer {
  return {
    text: (output, screen) => text(schema.parse(output), screen),
    exitCode: (output) => (isGood === undefined || isGood(schema.parse(output)) ? 0 : 1),
  }
}

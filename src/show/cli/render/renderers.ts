import type { z } from "zod"
import { SIGNATURES } from "#ground/contract"
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
  "agent.list": renderer(SIGNATURES["agent.list"].output, renderAgentFolders),
  "agent.new": renderer(SIGNATURES["agent.new"].output, renderAgentFolder),
  "agent.show": renderer(SIGNATURES["agent.show"].output, renderAgentShow),
  "agent.trust": renderer(SIGNATURES["agent.trust"].output, renderAgentFolder),
  "agent.validate": renderer(
    SIGNATURES["agent.validate"].output,
    renderAgentValidate,
    (it) => it.isValid,
  ),
  "agents.answer": renderer(SIGNATURES["agents.answer"].output, renderAnswer),
  "agents.approvals": renderer(SIGNATURES["agents.approvals"].output, renderApprovals),
  "agents.context": renderer(SIGNATURES["agents.context"].output, renderContext),
  "agents.delete": renderer(SIGNATURES["agents.delete"].output, renderDeleted),
  "agents.drop": renderer(SIGNATURES["agents.drop"].output, renderDeleted),
  "agents.edit": renderer(SIGNATURES["agents.edit"].output, renderRun),
  "agents.export": {
    ...renderer(SIGNATURES["agents.export"].output, renderExport),
    isExact: true,
  },
  "agents.save": renderer(SIGNATURES["agents.save"].output, renderSaved),
  "agents.handoff": renderer(SIGNATURES["agents.handoff"].output, renderHandoff),
  "agents.import": renderer(SIGNATURES["agents.import"].output, renderRun),
  "agents.list": renderer(SIGNATURES["agents.list"].output, renderRuns),
  "agents.message": renderer(SIGNATURES["agents.message"].output, renderMessage),
  "agents.messages": renderer(SIGNATURES["agents.messages"].output, renderMessages),
  "agents.mode": renderer(SIGNATURES["agents.mode"].output, renderRun),
  "agents.parts": renderer(SIGNATURES["agents.parts"].output, renderParts),
  "agents.providers": renderer(SIGNATURES["agents.providers"].output, renderProviders),
  "agents.read": renderer(SIGNATURES["agents.read"].output, renderRun),
  "agents.rewrite": renderer(SIGNATURES["agents.rewrite"].output, renderTurns),
  "agents.sessions": renderer(SIGNATURES["agents.sessions"].output, renderSessions),
  "agents.show": renderer(SIGNATURES["agents.show"].output, renderRun),
  "agents.timeline": renderer(SIGNATURES["agents.timeline"].output, renderTimeline),
  "agents.turns": renderer(SIGNATURES["agents.turns"].output, renderTurns),
  "bench.recall": renderer(SIGNATURES["bench.recall"].output, renderRecall),
  "bench.scan": renderer(
    SIGNATURES["bench.scan"].output,
    renderBenchScan,
    (it) => it.commitsEqual === it.commitsCompared,
  ),
  "capture.take": renderer(SIGNATURES["capture.take"].output, renderCapture),
  "capture.show": renderer(SIGNATURES["capture.show"].output, renderCapture),
  "capture.list": renderer(SIGNATURES["capture.list"].output, renderCaptureList),
  "capture.text": renderer(SIGNATURES["capture.text"].output, renderCaptureText),
  "capture.diff": renderer(SIGNATURES["capture.diff"].output, renderDiff),
  "capture.settings": renderer(SIGNATURES["capture.settings"].output, renderSettings),
  "capture.hosts": renderer(SIGNATURES["capture.hosts"].output, renderHosts),
  "credential.list": renderer(SIGNATURES["credential.list"].output, renderCredentials),
  "credential.remove": renderer(SIGNATURES["credential.remove"].output, renderCredentials),
  "credential.set": renderer(SIGNATURES["credential.set"].output, renderCredentials),
  "config.show": renderer(SIGNATURES["config.show"].output, renderConfig),
  "config.check": renderer(
    SIGNATURES["config.check"].output,
    renderConfigCheck,
    (it) => it.isValid,
  ),
  "config.set": renderer(SIGNATURES["config.set"].output, renderSetting),
  "config.unset": renderer(SIGNATURES["config.unset"].output, renderSetting),
  "doctor.run": renderer(SIGNATURES["doctor.run"].output, renderDoctor, (it) => it.isHealthy),
  "events.list": renderer(SIGNATURES["events.list"].output, renderEvents),
  "fold.list": renderer(SIGNATURES["fold.list"].output, renderFoldList),
  "fold.restore": renderer(SIGNATURES["fold.restore"].output, renderFoldRestore),
  "fold.search": renderer(SIGNATURES["fold.search"].output, renderFoldSearch),
  "fold.show": renderer(SIGNATURES["fold.show"].output, renderFoldShow),
  "fold.tree": renderer(SIGNATURES["fold.tree"].output, renderFoldTree),
  "gateway.delete": renderer(SIGNATURES["gateway.delete"].output, renderGatewayDeleted),
  "gateway.list": renderer(SIGNATURES["gateway.list"].output, renderGatewayList),
  "gateway.request": renderer(SIGNATURES["gateway.request"].output, renderGatewayRequest),
  "gateway.show": renderer(SIGNATURES["gateway.show"].output, renderGatewayShow),
  "gateway.texts": renderer(SIGNATURES["gateway.texts"].output, renderGatewayTexts),
  "claim.list": renderer(SIGNATURES["claim.list"].output, renderClaims),
  "claim.release": renderer(SIGNATURES["claim.release"].output, renderClaimReleased),
  "claim.take": renderer(SIGNATURES["claim.take"].output, renderClaimTaken),
  "decision.add": renderer(SIGNATURES["decision.add"].output, renderMemoryRecorded),
  "decision.list": renderer(SIGNATURES["decision.list"].output, renderDecisions),
  "decision.show": renderer(SIGNATURES["decision.show"].output, renderMemory),
  "session.list": renderer(SIGNATURES["session.list"].output, renderSessionList),
  "session.show": renderer(SIGNATURES["session.show"].output, renderSession),
  "session.index": renderer(SIGNATURES["session.index"].output, renderIndexed),
  "session.register": renderer(SIGNATURES["session.register"].output, renderRegistered),
  "guard.override": renderer(SIGNATURES["guard.override"].output, renderOverride),
  "guard.try": renderer(SIGNATURES["guard.try"].output, renderTry),
  "guard.verdicts": renderer(SIGNATURES["guard.verdicts"].output, renderVerdicts),
  "guard.simulate": renderer(SIGNATURES["guard.simulate"].output, renderSimulation),
  "guidelines.list": renderer(SIGNATURES["guidelines.list"].output, renderGuidelines),
  "kb.add": renderer(SIGNATURES["kb.add"].output, renderKbAdded),
  "kb.documents": renderer(SIGNATURES["kb.documents"].output, renderKbDocuments),
  "kb.paragraph": renderer(SIGNATURES["kb.paragraph"].output, renderKbParagraph),
  "kb.remove": renderer(SIGNATURES["kb.remove"].output, renderKbRemoved),
  "kb.search": renderer(SIGNATURES["kb.search"].output, renderKbFound),
  "kb.status": renderer(SIGNATURES["kb.status"].output, renderKbStatus),
  "kb.web": renderer(SIGNATURES["kb.web"].output, renderKbWeb),
  "kit.init": renderer(SIGNATURES["kit.init"].output, renderKitDone),
  "kit.level": renderer(SIGNATURES["kit.level"].output, renderLevels),
  "kit.uninstall": renderer(SIGNATURES["kit.uninstall"].output, renderKitDone),
  "map.export": renderer(SIGNATURES["map.export"].output, renderExportedMap),
  "map.scan": renderer(SIGNATURES["map.scan"].output, renderScan),
  "map.show": renderer(SIGNATURES["map.show"].output, renderShow),
  "map.tree": renderer(SIGNATURES["map.tree"].output, renderTree),
  "memory.confirm": renderer(SIGNATURES["memory.confirm"].output, renderMemoryNoted),
  "memory.feedback": renderer(SIGNATURES["memory.feedback"].output, renderMemoryNoted),
  "memory.forget": renderer(SIGNATURES["memory.forget"].output, renderMemoryForgotten),
  "memory.list": renderer(SIGNATURES["memory.list"].output, renderMemoryList),
  "memory.record": renderer(SIGNATURES["memory.record"].output, renderMemoryRecorded),
  "memory.search": renderer(SIGNATURES["memory.search"].output, renderMemorySearch),
  "memory.show": renderer(SIGNATURES["memory.show"].output, renderMemory),
  "now.show": renderer(SIGNATURES["now.show"].output, renderNow),
  "pack.build": renderer(SIGNATURES["pack.build"].output, renderPack),
  "pack.diff": renderer(SIGNATURES["pack.diff"].output, renderPackDiff),
  "pack.list": renderer(SIGNATURES["pack.list"].output, renderPackList),
  "pack.show": renderer(SIGNATURES["pack.show"].output, renderPack),
  "pipeline.compare": renderer(SIGNATURES["pipeline.compare"].output, renderPipelineCompare),
  "pipeline.document": renderer(SIGNATURES["pipeline.document"].output, renderPipelineDocument),
  "pipeline.list": renderer(SIGNATURES["pipeline.list"].output, renderPipelines),
  "pipeline.show": renderer(SIGNATURES["pipeline.show"].output, renderPipelineShow),
  "pipeline.stop": renderer(SIGNATURES["pipeline.stop"].output, renderPipelineRun),
  "pipeline.summary": renderer(SIGNATURES["pipeline.summary"].output, renderPipelineSummary),
  "permissions.add": renderer(SIGNATURES["permissions.add"].output, renderPermissions),
  "permissions.list": renderer(SIGNATURES["permissions.list"].output, renderPermissions),
  "permissions.remove": renderer(SIGNATURES["permissions.remove"].output, renderPermissions),
  "permissions.trust": renderer(SIGNATURES["permissions.trust"].output, renderPermissions),
  "search.find": renderer(SIGNATURES["search.find"].output, renderFound),
  "source.approve": renderer(SIGNATURES["source.approve"].output, renderSource),
  "source.list": renderer(SIGNATURES["source.list"].output, renderSources),
  "source.test": renderer(
    SIGNATURES["source.test"].output,
    renderSourceTest,
    ({ source }) => source.health === "ok" || source.health === "slow",
  ),
  "store.status": renderer(SIGNATURES["store.status"].output, renderStatus),
  "store.check": renderer(SIGNATURES["store.check"].output, renderCheck, (it) => it.isSound),
  "store.backup": renderer(SIGNATURES["store.backup"].output, renderBackup),
  "store.restore": renderer(SIGNATURES["store.restore"].output, renderRestore),
  "tokens.count": renderer(SIGNATURES["tokens.count"].output, renderTokens),
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

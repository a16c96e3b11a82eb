import { captureDiff, captureList, captureOf, captureText, newestOf } from "./fake-capture.ts"
import { captureHosts, captureSettings } from "./fake-capture-tables.ts"
import { answerFolds } from "./fake-fold.ts"
import { answerGateway } from "./fake-gateway.ts"
import { answerGuard, type FakeGuard } from "./fake-guard.ts"
import { answerKnowledge } from "./fake-knowledge.ts"
import { answerLedger, doctorOf, type FakeLedger } from "./fake-ledger.ts"
import { mapScan, mapShow, mapTree, searchFind } from "./fake-map.ts"
import { answerMemories, type FakeMemories } from "./fake-memory.ts"
import { answerPacks, type FakePacks } from "./fake-pack.ts"
import { answerPipelines, type FakePipelines } from "./fake-pipeline.ts"
import type { FakeTranscripts } from "./fake-run.ts"
import { answerRun } from "./fake-run-answers.ts"
import type { FakeRuns } from "./fake-runs.ts"
import { answerRuns, nowRows } from "./fake-runs-answers.ts"
import type { Cursor, JournalEntry } from "./fake-shapes.ts"
import type { worldConfig } from "./fake-tables.ts"
import { EPOCH, type WorldState, worldNow, worldStore, worldTokens } from "./fake-world.ts"

export type FakeWorld = {
  readonly state: WorldState
  readonly journal: JournalEntry[]
  readonly config: ReturnType<typeof worldConfig>
  readonly runs: FakeRuns
  readonly packs: FakePacks
  readonly memories: FakeMemories
  readonly guard: FakeGuard
  readonly ledger: FakeLedger
  readonly pipelines: FakePipelines
  readonly transcripts: FakeTranscripts
}

type Answer = { readonly status: number; readonly answer: unknown }

/** What the fake server says to an operation; in the failing world every one of them fails. */
export function answerOperation(world: FakeWorld, url: URL, body: unknown): Answer {
  if (world.state === "failing") return { status: 503, answer: BROKEN }
  const ofRun = answerRun(world.transcripts, url, asRecord(body))
  if (ofRun !== undefined) return ofRun
  const ofRuns = answerRuns(world.runs, url, asRecord(body))
  if (ofRuns !== undefined) return ofRuns
  const ofPacks = answerPacks(world.packs, url, asRecord(body))
  if (ofPacks !== undefined) return ofPacks
  const ofFolds = answerFolds(world.state, url)
  if (ofFolds !== undefined) return ofFolds
  const ofGateway = answerGateway(world.state, url)
  if (ofGateway !== undefined) return ofGateway
  const ofMemories = answerMemories(world.memories, url, asRecord(body))
  if (ofMemories !== undefined) return ofMemories
  const ofGuard = answerGuard(world.guard, url, asRecord(body))
  if (ofGuard !== undefined) return ofGuard
  const ofLedger = answerLedger(world.ledger, url, asRecord(body))
  if (ofLedger !== undefined) return ofLedger
  const ofPipelines = answerPipelines(world.pipelines, url, asRecord(body))
  if (ofPipelines !== undefined) return ofPipelines
  const ofKnowledge = answerKnowledge(world.state, url, asRecord(body))
  if (ofKnowledge !== undefined) return ofKnowledge
  const isNoPlace = url.pathname === "/api/map/show" && mapShow(url.searchParams) === undefined
  if (isNoPlace) return { status: 404, answer: NO_PLACE }
  const answer = ANSWERS[url.pathname]?.(world, url.searchParams, asRecord(body))
  return answer === undefined ? { status: 404, answer: NO_SUCH } : { status: 200, answer }
}

type Answerer = (world: FakeWorld, query: URLSearchParams, body: Record<string, unknown>) => unknown

const ANSWERS: Readonly<Record<string, Answerer>> = {
  "/api/capture/hosts": () => captureHosts(),
  "/api/capture/list": ({ state }, query) =>
    state === "empty" ? { captures: [] } : captureList(query.get("host")),
  "/api/capture/show": (_world, query) => captureOf(query.get("id") ?? ""),
  "/api/capture/diff": (_world, query) =>
    captureDiff(query.get("from") ?? "", query.get("to") ?? ""),
  "/api/capture/text": (_world, query) => captureText(query.get("path") ?? ""),
  "/api/capture/settings": () => captureSettings("claude-code"),
  "/api/capture/take": (_world, _query, { host, observe, trust }) =>
    captureOf(newestOf(String(host)), { observe: observe === true, trust: trust === true }),
  "/api/map/tree": ({ state }, query) => mapTree(query, state !== "empty"),
  "/api/map/show": (_world, query) => mapShow(query),
  "/api/map/scan": () => mapScan(),
  "/api/search/find": (_world, query) => searchFind(query),
  "/api/now/show": ({ state, runs }) => ({ ...worldNow(state), ...nowRows(runs) }),
  "/api/doctor/run": ({ state }) => doctorOf(state),
  "/api/store/status": ({ state, journal }) => worldStore(state, journal.length),
  "/api/store/check": ({ journal }) => ({
    isSound: true,
    checkedEvents: journal.length,
    findings: [],
  }),
  "/api/store/backup": () => ({ file: "store-2026-11-15.db", sizeBytes: 1_310_720 }),
  "/api/config/show": ({ config }) => config,
  "/api/config/check": ({ config }) => ({ problems: [], files: config.files, isValid: true }),
  "/api/config/set": (world, _query, body) => changeSetting(world, body),
  "/api/config/unset": (world, _query, body) => changeSetting(world, body),
  "/api/events/list": listEvents,
  "/api/tokens/count": (_world, query) => worldTokens(query.getAll("paths")),
}

function listEvents({ journal }: FakeWorld, query: URLSearchParams) {
  const limit = Number(query.get("limit") ?? 50)
  const name = query.get("name") ?? ""
  const after = query.get("after")
  const named = journal.filter((it) => it.name.startsWith(name))
  const entries =
    after === null
      ? named.slice(-limit)
      : named.filter((it) => it.seq > Number(after)).slice(0, limit)
  const head: Cursor = { epoch: EPOCH, seq: journal.at(-1)?.seq ?? 0 }
  return { entries, next: entries.at(-1)?.seq ?? head.seq, head }
}

function changeSetting({ config }: FakeWorld, body: Record<string, unknown>) {
  const setting = config.settings.find((it) => it.key === body.key)
  if (setting === undefined) return undefined
  const file = `${String(body.layer)} file config.json:3`
  if ("value" in body) {
    setting.value = setting.isSecret ? "[hidden]" : body.value
    setting.origin = file
  } else {
    setting.value = asRecord(setting.schema).default
    setting.origin = "default"
  }
  return setting
}

function asRecord(it: unknown): Record<string, unknown> {
  return typeof it === "object" && it !== null ? { ...it } : {}
}

const BROKEN = {
  code: "STORE_DISK_FULL",
  message: "The disk is full, nothing was lost",
  hint: "The last write was refused as a whole. Free 200 MB, then run `qm doctor`.",
  data: { freeBytes: 0 },
}

const NO_PLACE = {
  code: "MAP_NAME_UNKNOWN",
  message: "The map has no file, folder or symbol of this name.",
  hint: "Near it are: src/tariff/rounding.ts, roundLine.",
  data: { near: ["src/tariff/rounding.ts", "roundLine"] },
}

const NO_SUCH = {
  code: "HTTP_NOT_FOUND",
  message: "There is no such operation",
  hint: "Ask /api/operations for the list.",
  data: {},
}

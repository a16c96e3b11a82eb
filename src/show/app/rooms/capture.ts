import { createIds, isInside } from "#ground/base"
import type { HostName } from "#ground/contract"
import { toTokenScale } from "#ground/tokens"
import { captureHandlers, createHistory, createRedact } from "#see/capture"
import { type HostPlace, loadHost, realDisk } from "#see/hosts"
import { directoryProblem, listFiles, projectFolders } from "#see/repo"
import { hostPlace, userHome } from "../places.ts"
import type { Services } from "../services.ts"
import { wireReport } from "./gateway.ts"

/** A rule is matched against at most this many files; larger trees are skipped. */
const LARGEST_LISTED_TREE_FILES = 20_000

type CaptureDeps = Pick<
  Services,
  | "clock"
  | "config"
  | "environment"
  | "gateway"
  | "location"
  | "log"
  | "modelScale"
  | "places"
  | "random"
  | "resolve"
  | "secrets"
  | "store"
  | "tokens"
>

export function openCaptureHandlers(deps: CaptureDeps) {
  return captureHandlers({
    host: loadHost,
    disk: realDisk(),
    place: (userPath) => hostPlace(deps, userPath),
    directoryProblem,
    encoding: () => deps.config().tokens.encoding,
    counter: deps.tokens.counter,
    async scale(model) {
      const scale = await deps.modelScale(model)
      // A host whose model is unknown may use a model of any provider.
      return scale.model === null ? null : toTokenScale(scale)
    },
    redact: async (directory) => createRedact(await deps.secrets(directory)),
    projectFolders: async (directory) => {
      const folders = await projectFolders(directory)
      // If the user's home is a repository, programs in it still count as theirs.
      return folders.filter((it) => !isInside(it, userHome(deps)))
    },
    history: async () => createHistory((await deps.store()).forRoom("capture")),
    isShared: () => deps.location().kind === "postgres",
    async listFiles(folder, signal) {
      const listed = await listFiles(folder, { maxFiles: LARGEST_LISTED_TREE_FILES, signal })
      return listed.isWhole ? listed.files : undefined
    },
    sizes: () => ({ window: deps.config().tokens.window, ...deps.config().capture }),
    wireReport: (place, host) => wireReportWithFiles(place, host, deps),
    ids: createIds(deps),
    clock: deps.clock,
    log: deps.log,
  })
}

/** Only for Claude Code does "no file recorded" mean that none was sent. */
async function wireReportWithFiles(place: HostPlace, host: HostName, deps: CaptureDeps) {
  const report = await wireReport(place, host, deps)
  return host === "claude-code" || (report?.files.length ?? 0) > 0 ? report : undefined
}

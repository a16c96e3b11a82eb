import { formatBytes, formatExact, type ImportState, plural } from "../../contract.ts"
import type { useImportSessions } from "../../data/actions/use-import-sessions.ts"
import { Button } from "../../ui/button/button.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Meter } from "../../ui/meter/meter.tsx"
import { Notice } from "../../ui/notice/notice.tsx"
import { Flow } from "../../ui/pane/pane.tsx"

type ImportOfferProps = {
  readonly state: ImportState
  readonly isReadOnly: boolean
  readonly transcripts: ReturnType<typeof useImportSessions>
}

/** Offers to index waiting transcripts; renders nothing if none wait. */
export function ImportOffer({ state, isReadOnly, transcripts }: ImportOfferProps) {
  const { progress, start, cancel } = transcripts
  const { waitingFiles, setting } = state
  const canStart = !isReadOnly && progress.state !== "running" && waitingFiles > 0
  const begin = () => start(setting === "machine" ? "machine" : "repository", waitingFiles)
  useKey("sessions.import", canStart ? begin : undefined)
  if (progress.state === "running") {
    const total = progress.waitingAtStart
    const done = Math.max(0, total - waitingFiles)
    return (
      <Notice description={describeProgress(done, total)}>
        <Meter share={total === 0 ? 0 : done / total} label="Share of the transcripts indexed" />
        <Button small onPress={cancel}>
          Cancel
        </Button>
      </Notice>
    )
  }
  return (
    <>
      {progress.state === "failed" ? <Failure size="row" error={progress.error} /> : null}
      {describeEnd(progress) === "" ? null : <Notice description={describeEnd(progress)} />}
      {canStart && setting !== "never" ? (
        <Notice description={describeWaiting(state)}>
          <Flow>
            <Button small keyId="sessions.import" onPress={begin}>
              {setting === "machine" ? "Import" : "Import this repository"}
            </Button>
            {setting === "machine" ? null : (
              <Button small variant="ghost" onPress={() => start("machine", waitingFiles)}>
                Import all, from now on
              </Button>
            )}
          </Flow>
        </Notice>
      ) : null}
    </>
  )
}

function describeWaiting({ waitingFiles, waitingBytes }: ImportState): string {
  const verb = waitingFiles === 1 ? "is" : "are"
  return `${plural(waitingFiles, "transcript")} on this machine (${formatBytes(waitingBytes)}) ${verb} not indexed yet.`
}

function describeProgress(done: number, total: number): string {
  return `Importing ${formatExact(done)} of ${formatExact(total)}. Search covers what is imported.`
}

function describeEnd(progress: ImportOfferProps["transcripts"]["progress"]): string {
  if (progress.state === "cancelled") return "Import cancelled. The next one continues here."
  if (progress.state !== "done") return ""
  const { sessions, lines, skipped } = progress.result
  const left = skipped.length === 0 ? "" : ` ${plural(skipped.length, "transcript")} unreadable.`
  return `Imported ${plural(sessions, "session")} with ${plural(lines, "line")}.${left}`
}

import { visibleLine } from "../../../base/format.ts"
import type { Agreement, Capture, CaptureHosts, Observation } from "../../../contract.ts"
import { Button } from "../../../ui/button/button.tsx"
import { CheckBlocks } from "../../../ui/checks/checks.tsx"
import { HoverList } from "../../../ui/hover-list/hover-list.tsx"
import { Notice } from "../../../ui/notice/notice.tsx"
import { Path } from "../../../ui/path/path.tsx"
import { Text } from "../../../ui/text/text.tsx"
import { describeAgreement, describeFile, describeObserver } from "../words.ts"

type AgreementProps = {
  readonly now: number
  readonly observation: Observation | null
  readonly host: CaptureHosts["hosts"][number] | undefined
}

export function AgreementMark({ now, observation, host }: AgreementProps) {
  if (observation === null) {
    return (
      <Text size="sm" tone="2" title={describeHowToObserve(host)}>
        {host?.canObserve === false ? "estimate only" : "not observed yet"}
      </Text>
    )
  }
  const files = observation.files.toSorted(
    (a, b) => Number(a.state === "both") - Number(b.state === "both"),
  )
  return (
    <HoverList
      title={describeAgreement(observation)}
      lines={files.map((it) => ({
        key: `${it.state} ${it.path}`,
        lead: <Path path={it.label} />,
        description: visibleLine(describeFile(it)),
        ...(it.state === "both" && it.sameText !== false ? {} : { tone: "warn" as const }),
      }))}
      foot={describeObserver(observation, now)}
    >
      <CheckBlocks
        states={blocksOf(observation.files)}
        description={describeAgreement(observation)}
        hidesBlocksOnPhone
      />
    </HoverList>
  )
}

function describeHowToObserve(host: AgreementProps["host"]): string {
  if (host?.canObserve === false) return `${host.title} cannot report what it loads`
  return "Query the host to compare its own numbers with the estimate"
}

type ProblemProps = {
  readonly capture: Capture
  readonly host: CaptureHosts["hosts"][number] | undefined
  readonly isReadOnly: boolean
  onAsk(trust: boolean): void
}

export function ObservationNotice({ capture, host, isReadOnly, onAsk }: ProblemProps) {
  const { observation, observationProblem: problem } = capture
  const canAsk = host?.canObserve === true && host.installed !== null && !isReadOnly
  if (problem !== null) {
    const isTrust = problem.code === "not-trusted"
    return (
      <Notice tone="warn" description={visibleLine(problem.text)}>
        {canAsk ? (
          <Button small onPress={() => onAsk(isTrust)}>
            {isTrust ? "Query anyway" : "Query again"}
          </Button>
        ) : null}
      </Notice>
    )
  }
  if (observation !== null || !canAsk) return null
  return (
    <Notice
      description={`These numbers are an estimate. ${host.title} can report what it really loads; no model is called.`}
    >
      <Button small onPress={() => onAsk(false)}>
        Query the host
      </Button>
    </Notice>
  )
}

const MOST_BLOCKS = 24

export function blocksOf(files: readonly Agreement[]): readonly ("ok" | "warn")[] {
  const count = Math.min(MOST_BLOCKS, files.length)
  const blocks = Array.from({ length: count }, (): "ok" | "warn" => "ok")
  for (const [i, file] of files.entries()) {
    const agrees = file.state === "both" && file.sameText !== false
    if (!agrees) blocks[Math.floor((i * count) / files.length)] = "warn"
  }
  return blocks
}

import { StatusMark } from "../status-mark/status-mark.tsx"
import { Prose } from "../text/text.tsx"
import styles from "./checks.module.css"

type CheckState = "ok" | "warn" | "fail"

export function CheckBlocks(props: {
  states: readonly CheckState[]
  description: string
  hidesBlocksOnPhone?: boolean
}) {
  return (
    <span
      className={styles.description}
      data-phone={props.hidesBlocksOnPhone ? "words" : undefined}
    >
      <span className={styles.blocks} aria-hidden="true">
        {props.states.map((state, i) => (
          <i key={`${i} ${state}`} data-state={state} />
        ))}
      </span>
      {props.description}
    </span>
  )
}

type Problem = {
  readonly state: "warn" | "fail"
  readonly name: string
  readonly detail: string
  readonly hint: string
}

export function CheckProblems({ problems }: { readonly problems: readonly Problem[] }) {
  if (problems.length === 0) return null
  return (
    <ul className={styles.problems}>
      {problems.map(({ state, name, detail, hint }) => (
        <li key={`${name} ${detail}`}>
          <StatusMark status={state === "fail" ? "failed" : "warned"} />
          <div>
            {name}: {detail}
            <p>
              <Prose>{hint}</Prose>
            </p>
          </div>
        </li>
      ))}
    </ul>
  )
}

import type { Status } from "../../base/status.ts"
import styles from "./status-mark.module.css"

export function StatusMark({ status }: { readonly status: Status }) {
  return (
    <svg className={styles.mark} viewBox="0 0 14 14" role="img" aria-label={status}>
      {DRAWINGS[status]}
    </svg>
  )
}

const ring = { cx: 7, cy: 7, r: 5.25, fill: "none", strokeWidth: 1.5 } as const
const stroke = { fill: "none", strokeWidth: 1.5, strokeLinecap: "round" } as const

const DRAWINGS = {
  queued: <circle {...ring} stroke="var(--text-3)" strokeDasharray="1.8 1.5" />,
  running: (
    <>
      <circle {...ring} stroke="var(--line-strong)" />
      <path
        {...stroke}
        strokeWidth={1.75}
        stroke="var(--info)"
        d="M7 1.75A5.25 5.25 0 0 1 12.25 7"
      />
      <circle cx={7} cy={7} r={2} fill="var(--info)" />
    </>
  ),
  waiting: (
    <>
      <circle {...ring} stroke="var(--warn)" />
      <path {...stroke} strokeWidth={1.6} stroke="var(--warn)" d="M7 4v3.5M7 9.75v.01" />
    </>
  ),
  paused: (
    <>
      <circle {...ring} stroke="var(--warn)" />
      <path {...stroke} stroke="var(--warn)" d="M5.6 5v4M8.4 5v4" />
    </>
  ),
  done: (
    <>
      <circle cx={7} cy={7} r={6} fill="var(--ok)" />
      <path
        {...stroke}
        strokeLinejoin="round"
        stroke="var(--surface)"
        d="m4.4 7.2 1.8 1.8 3.4-3.8"
      />
    </>
  ),
  failed: (
    <>
      <circle cx={7} cy={7} r={6} fill="var(--bad)" />
      <path {...stroke} stroke="var(--surface)" d="m5 5 4 4M9 5 5 9" />
    </>
  ),
  stopped: (
    <>
      <circle {...ring} stroke="var(--text-3)" />
      <rect x={5} y={5} width={4} height={4} rx={0.5} fill="var(--text-3)" />
    </>
  ),
  interrupted: <circle {...ring} stroke="var(--text-3)" strokeDasharray="26 7" />,
  "timed-out": (
    <>
      <circle {...ring} stroke="var(--warn)" />
      <path {...stroke} stroke="var(--warn)" d="M7 4v3l2 1.25" />
    </>
  ),
  cancelled: (
    <>
      <circle {...ring} stroke="var(--text-3)" />
      <path {...stroke} stroke="var(--text-3)" d="M4.5 7h5" />
    </>
  ),
  picked: (
    <>
      <rect x={1} y={1} width={12} height={12} rx={3} fill="var(--accent-fill)" />
      <path {...stroke} strokeLinejoin="round" stroke="white" d="m4.2 7.2 1.9 1.9 3.7-4" />
    </>
  ),
  warned: (
    <>
      <path {...stroke} strokeLinejoin="round" stroke="var(--warn)" d="M7 1.75 12.5 12H1.5Z" />
      <path {...stroke} stroke="var(--warn)" d="M7 5.5v3M7 10.25v.01" />
    </>
  ),
} as const satisfies Record<Status, React.JSX.Element>

import { classNames } from "../class-names.ts"
import styles from "./icon.module.css"

/** One set, drawn on a 16 px grid with a 1.5 px stroke. */
const PATHS = {
  back: "M10 3.75 5.75 8 10 12.25",
  branch:
    "M4.5 5v6M11.5 6.5c0 2.5-2.5 3-5.5 3.5M6 3.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0M6 12.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0M13 5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0",
  ask: "M2.5 3.25h11v7.5H7.25L4.5 13.25v-2.5h-2ZM5.25 6h5.5M5.25 8.25h3.5",
  capture: "M2.25 5.25v-3h3M10.75 2.25h3v3M13.75 10.75v3h-3M5.25 13.75h-3v-3M5 6.25h4M6.25 9.75H11",
  check: "m3.5 8.25 3 3 6-6.5",
  "chevron-down": "M3.75 6 8 10.25 12.25 6",
  "chevron-right": "m6 3.75 4.25 4.25L6 12.25",
  close: "m4 4 8 8M12 4l-8 8",
  code: "M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5",
  copy: "M5.75 5.75h8v8h-8ZM10.25 3.5V2.25h-8v8H3.5",
  decision: "M8 2v12M3 4h7.75l2.25 2-2.25 2H3Z",
  density: "M2.5 4h11M2.5 8h11M2.5 12h11",
  diff: "M8 2.5v7M4.5 6h7M4.5 13h7",
  dots: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  events: "M2.5 4h1M2.5 8h1M2.5 12h1M6 4h7.5M6 8h7.5M6 12h7.5",
  lock: "M3.75 7.25h8.5v6.5h-8.5ZM5.5 7.25V5a2.5 2.5 0 0 1 5 0v2.25",
  memory: "M4.25 2.25h7.5v11.5L8 10.75l-3.75 3Z",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h7",
  label: "M2.5 2.5h5.25l5.75 5.75-5.25 5.25L2.5 7.75ZM5.25 5.25h.01",
  map: "M2.25 4.25 6 2.75l4 1.5 3.75-1.5v9l-3.75 1.5-4-1.5-3.75 1.5ZM6 2.75v9M10 4.25v9",
  now: "M13.75 8a5.75 5.75 0 1 1-11.5 0 5.75 5.75 0 0 1 11.5 0M8 4.75V8l2.25 1.5",
  pack: "M2.5 5 8 2.25 13.5 5v6L8 13.75 2.5 11ZM2.5 5 8 7.75 13.5 5M8 7.75v6",
  panel: "M2.25 2.75h11.5v10.5H2.25ZM10 2.75v10.5",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  pin: "M5.5 2.25h5l-.75 4 2.5 2.5h-8.5l2.5-2.5ZM8 8.75v5",
  play: "M4.75 2.75v10.5L13 8Z",
  plus: "M8 3v10M3 8h10",
  pulse: "M1.75 8.25h3l1.75-4.5 3 8.5 1.75-4h3",
  refresh: "M13.25 8a5.25 5.25 0 1 1-1.5-3.7M13.5 2v3h-3",
  search: "M11.25 7a4.25 4.25 0 1 1-8.5 0 4.25 4.25 0 0 1 8.5 0M10.25 10.25l3.25 3.25",
  settings:
    "M2.5 5h6M12 5h1.5M2.5 11H4M7.5 11h6M12 5a1.75 1.75 0 1 1-3.5 0A1.75 1.75 0 0 1 12 5M7.5 11A1.75 1.75 0 1 1 4 11a1.75 1.75 0 0 1 3.5 0",
  shield: "M8 2 13 3.75v4c0 3-2 5.25-5 6.5-3-1.25-5-3.5-5-6.5v-4Z",
  stop: "M4 4h8v8H4Z",
  terminal: "m3 4.5 3.5 3.5L3 11.5M8.5 12H13",
  theme:
    "M10.75 8a2.75 2.75 0 1 1-5.5 0 2.75 2.75 0 0 1 5.5 0M8 1.5v1.25M8 13.25v1.25M1.5 8h1.25M13.25 8h1.25M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9",
  up: "M8 13.25v-10M3.75 7.5 8 3.25l4.25 4.25",
  undo: "M5.5 3 2.5 6l3 3M2.5 6h7a4 4 0 0 1 0 8H6",
  agent: "M2.25 3.25h11.5v9.5H2.25ZM5 6.25 6.75 8 5 9.75M8.5 10h2.5",
  down: "M8 2.75v10M3.75 8.5 8 12.75l4.25-4.25",
  edit: "m10.5 2.75 2.75 2.75-7.5 7.5-3.5.75.75-3.5Z",
  file: "M4 2.25h5.25L12 5v8.75H4ZM9 2.25V5.5h3",
  fork: "M4 5v6M4 8h6.5M5.5 3.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0M5.5 12.5a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0M13.5 8a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0",
  globe:
    "M13.75 8a5.75 5.75 0 1 1-11.5 0 5.75 5.75 0 0 1 11.5 0M2.25 8h11.5M8 2.25c3 3.5 3 8 0 11.5M8 2.25c-3 3.5-3 8 0 11.5",
  link: "M6.75 9.25a2.75 2.75 0 0 0 4 0l2-2a2.8 2.8 0 0 0-4-4l-.75.75M9.25 6.75a2.75 2.75 0 0 0-4 0l-2 2a2.8 2.8 0 0 0 4 4l.75-.75",
  plug: "M5.5 2v3.25M10.5 2v3.25M3.75 5.25h8.5v2.5a4.25 4.25 0 0 1-8.5 0ZM8 12v2",
  warning: "M8 2.25 14.25 13.5H1.75ZM8 6.5v3M8 11.5h.01",
} as const

export type IconName = keyof typeof PATHS

type IconProps = { readonly name: IconName; readonly size?: "small" }

/** Decoration only: what it means stands beside it or in the label of its control. */
export function Icon({ name, size }: IconProps) {
  return (
    <svg
      className={classNames(styles.icon, size && styles[size])}
      viewBox="0 0 16 16"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}

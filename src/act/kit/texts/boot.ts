import { HOOK_LEVELS } from "../levels.ts"

/** The boot file is in the context window of every session, so it is at most one screen long. */
const MOST_BOOT_LINES = 40

/** For agents whose host has no boot hook; the same text for all hosts. */
export function bootLines(level: number): readonly string[] {
  const lines = [
    "## Quartermaster",
    "",
    "This repository keeps a log of sessions, decisions and terms with `qm`. Before you begin:",
    "- `qm session list`: what the last sessions did and left open.",
    "- `qm decision list`: what has been decided; do not decide it anew.",
    '- `qm memory search "<words>"`: what was learnt here about a file or a subject.',
    "",
    "While you work:",
    ...(level >= HOOK_LEVELS.concurrency
      ? [
          "- `qm claim list`: who works on which files now; leave those of others alone.",
          "- `qm claim take <paths> --session <id>`: before you work on files for longer than a moment, with",
          "  the id of your session that Quartermaster named; without one, take none.",
        ]
      : []),
    ...(level >= HOOK_LEVELS.package
      ? ['- `qm pack "<task>"`: the files that a task needs, within a budget.']
      : []),
    ...(level >= HOOK_LEVELS.risk
      ? ["- `qm simulate <paths>`: what leans on a file, before you change one that much leans on."]
      : []),
    '- `qm decision add "<title>" "<decision>"`: when something is decided that outlives the session.',
    "",
    "When you are done and files that matter have changed:",
    '- `qm session register <slug> "<request>"`: what was asked for, done, decided and left.',
  ]
  return lines.slice(0, MOST_BOOT_LINES - MARK_LINES)
}

const MARK_LINES = 2

import { HOOK_LEVELS } from "../levels.ts"

/** The boot file is in the context window of every session, so it is at most one screen long. */
const MOST_BOOT_LINES = 40

/** For agents whose host has no boot hook; the same text for all hosts. */
export function bootLines(level: number): readonly string[] {
  const lines = [
    "## Quartermaster",
    "",
    "This repository records sessions, decisions and terms with `qm`. Before you start:",
    "- `qm sessions recent`: what the last sessions did and left open.",
    "- `qm decision list`: decisions made so far; do not decide them again.",
    '- `qm memory search "<words>"`: lessons about a file or a subject.',
    "",
    "While you work:",
    ...(level >= HOOK_LEVELS.concurrency
      ? [
          "- `qm claim list`: files that other sessions work on; do not edit those.",
          "- `qm claim take <paths> --session <id>`: before longer work on files, with the session id that",
          "  Quartermaster gave you; without one, take none.",
        ]
      : []),
    ...(level >= HOOK_LEVELS.package
      ? ['- `qm pack "<task>"`: the files that a task needs, within a token budget.']
      : []),
    ...(level >= HOOK_LEVELS.risk
      ? [
          "- `qm simulate <paths>`: what depends on a file, before you change one with many dependents.",
        ]
      : []),
    '- `qm decision add "<title>" "<decision>" --context "<why>"`: when a decision outlives the session.',
    "",
    "When you are done and files that matter have changed:",
    '- `qm sessions register <slug> "<request>"`: the request, the work done, decisions and open points.',
  ]
  return lines.slice(0, MOST_BOOT_LINES - MARK_LINES)
}

const MARK_LINES = 2

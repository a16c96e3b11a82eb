import type { Run, RunStatus } from "#ground/contract"

const EXIT_CODES: Partial<Readonly<Record<RunStatus, number>>> = {
  completed: 0,
  failed: 1,
  stopped: 3,
  interrupted: 4,
}

/**
 * `qm run --help` has the same list.
 */
export function exitCodeOf({ status }: Run): number {
  return EXIT_CODES[status] ?? 1
}

export function isEnded({ status }: Run): boolean {
  return status in EXIT_CODES
}

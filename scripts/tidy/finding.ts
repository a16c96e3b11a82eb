export type Finding = {
  readonly where: string
  readonly wrong: string
  readonly instead: string
}

export type Findings = {
  readonly failures: readonly Finding[]
  readonly reports: readonly Finding[]
}

export function fail(...failures: readonly Finding[]): Findings {
  return { failures, reports: [] }
}

export function report(...reports: readonly Finding[]): Findings {
  return { failures: [], reports }
}

export function join(all: readonly Findings[]): Findings {
  return {
    failures: all.flatMap((it) => it.failures),
    reports: all.flatMap((it) => it.reports),
  }
}

export function renderFailure({ where, wrong, instead }: Finding): string {
  return `FAIL  ${where}\n      ${wrong}\n      → ${instead}\n`
}

export function renderReport({ where, wrong, instead }: Finding): string {
  return `look  ${where}: ${wrong} → ${instead}\n`
}

import { formatBytes, formatCostSum, plural } from "#ground/base"
import type {
  ConfigCheck,
  ConfigReport,
  ConfigSetting,
  configOperations,
  DoctorReport,
  dashboardOperations,
  demoOperations,
  doctorOperations,
  fleetOperations,
  HostStatus,
  HostsList,
  hostsOperations,
  Now,
  nowOperations,
  OperationOutput,
  RepositoryEntry,
  upgradeOperations,
} from "#ground/contract"
import { table, tableRows } from "../terminal/layout.ts"
import type { Screen } from "../terminal/screen.ts"
import { renderHookMatrix } from "./kit.ts"
import { listing } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

function renderConfig(report: ConfigReport, screen: Screen): string {
  const { paint } = screen
  const rows = report.settings.map((setting) => {
    const isChanged = setting.origin !== "default"
    const value = valueText(setting.value)
    const key = isChanged ? paint.bold(setting.key) : setting.key
    if (!report.withSources) return [key, value, paint.muted(setting.description)]
    const hides =
      setting.hides.length === 0 ? "" : paint.muted(`, overrides ${setting.hides.join(", ")}`)
    return [key, value, `${isChanged ? setting.origin : paint.muted(setting.origin)}${hides}`]
  })
  if (!report.withSources) {
    return `${listing(["Setting", "Value", "Meaning"], rows, screen)}\n\n${paint.muted("Show where values come from: qm config show --sources")}`
  }
  const files = report.files.map((it) => [it.found ? "read" : "not found", it.file])
  const order = "Order: default, user file, project file, environment, --set. The last one wins."
  return `${listing(["Setting", "Value", "Source"], rows, screen)}\n\n${paint.muted(table(files, screen))}\n${paint.muted(order)}`
}

function renderConfigCheck(check: ConfigCheck, { paint, width }: Screen): string {
  const files = check.files.map((it) => [it.found ? "read" : "not found", it.file])
  if (check.isValid)
    return `${paint.ok("ok")}  no problems\n\n${paint.muted(table(files, { width }))}`
  const lines = check.problems.map(
    (it) => `${paint.bad("problem")}  ${it.place}\n         ${it.message}`,
  )
  return `${lines.join("\n")}\n\n${plural(check.problems.length, "problem")}; no file was changed.`
}

/** The current value, which may still come from a higher layer. */
function renderSetting(setting: ConfigSetting): string {
  return `${setting.key} is ${valueText(setting.value)}, from ${setting.origin}.`
}

function valueText(value: unknown): string {
  if (value === "") return '""'
  return typeof value === "string" ? value : JSON.stringify(value)
}

function renderDoctor(report: DoctorReport, screen: Screen): string {
  const { paint } = screen
  const marks = { ok: paint.ok("ok"), warn: paint.warn("warn"), fail: paint.bad("fail") }
  const rows = report.checks.map((it) => [marks[it.state], it.name, it.detail])
  const lines = tableRows(rows, screen)
  const advised = report.checks.flatMap((check, i) => {
    const advice = check.hint === undefined ? [] : [`      ${paint.accent("→")} ${check.hint}`]
    return [...(lines[i] ?? []), ...advice]
  })
  const failed = report.checks.filter((it) => it.state === "fail").length
  const warned = report.checks.filter((it) => it.state === "warn").length
  const verdict = report.isHealthy
    ? `Healthy${warned === 0 ? "" : `, ${plural(warned, "warning")}`}.`
    : `${plural(failed, "check")} failed${warned === 0 ? "" : `, ${plural(warned, "warning")}`}.`
  const shown = [...advised, ...renderHookMatrix(report.hooks, screen)]
  return `${shown.join("\n")}\n\n${report.isHealthy ? verdict : paint.bad(verdict)}`
}

function renderNow(now: Now, { paint, width }: Screen): string {
  const { repository, health } = now
  const branch = repository.branch ?? "no branch"
  const verdict = health.isHealthy
    ? paint.ok("healthy")
    : paint.bad(`${plural(health.failed, "check")} failed; run \`qm doctor\``)
  const warned = health.warnings === 0 ? "" : `, ${plural(health.warnings, "warning")}`
  const { todayUsd, unknown } = now.spend
  const hasSpend = todayUsd !== null || unknown > 0
  return table(
    [
      ["Repository", `${repository.name}, ${branch}`],
      ["Health", `${verdict}${warned}`],
      ["Waiting", countText(now.waiting.length)],
      ["Running", countText(now.running.length)],
      ...(hasSpend ? [["Spent today", formatCostSum(todayUsd ?? 0, unknown)]] : []),
    ],
    { width },
  )
}

/** Also drawn by `qm` without a command. */
export function hostRows(hosts: readonly HostStatus[], { paint }: Screen): readonly string[][] {
  return hosts.map((it) =>
    it.isInstalled
      ? [it.title, it.version ?? "version unknown", describeLogin(it), describeHooks(it)]
      : [paint.muted(it.title), paint.muted("not installed")],
  )
}

function renderHosts({ hosts }: HostsList, screen: Screen): string {
  const { paint } = screen
  const installed = hosts.filter((it) => it.isInstalled)
  const header = ["Host", "Version", "Sign-in", "Quartermaster", "Verified with", "Program"]
  const rows = hosts.map((host) => {
    const rules = paint.muted(
      host.isCaptured ? (host.rulesFrom ?? "documentation") : "not captured",
    )
    return host.isInstalled
      ? [
          host.name,
          host.version ?? "unknown",
          describeLogin(host),
          describeHooks(host),
          rules,
          paint.muted(host.program ?? ""),
        ]
      : [paint.muted(host.name), paint.muted("not installed"), "", "", rules, ""]
  })
  const toInstall = hosts.flatMap((it) =>
    it.isInstalled || it.install === null ? [] : [["  ", it.name, paint.muted(it.install)]],
  )
  const captured = installed.find((it) => it.isCaptured)?.name ?? "claude-code"
  const capture = `qm capture ${["--host", captured].join(" ")}`
  const next = [
    ...(installed.some((it) => it.hooks === "none")
      ? [["  ", "qm init --dry-run", paint.muted("Show how to connect them")]]
      : []),
    ["  ", capture, paint.muted("Show what a host loads")],
  ]
  return [
    listing(header, rows, screen),
    ...(toInstall.length === 0
      ? []
      : ["", paint.bold("Install"), listing(["", "Host", "Command"], toInstall, screen)]),
    "",
    paint.bold("Next"),
    table(next, screen),
  ].join("\n")
}

function describeLogin({ login, loginFrom }: HostStatus): string {
  switch (login) {
    case "found":
      return `signed in by ${loginFrom ?? "a file"}`
    case "missing":
      return "no sign-in found"
    case "unknown":
      return "sign-in unknown"
  }
  return login satisfies never
}

function describeHooks({ hooks }: HostStatus): string {
  switch (hooks) {
    case "init":
      return "connected by qm init"
    case "plugin":
      return "connected by the plugin"
    case "both":
      return "connected by qm init and the plugin"
    case "none":
      return "not connected"
    case "not offered":
      return "qm has no hooks for it"
  }
  return hooks satisfies never
}

function countText(count: number): string {
  return count === 0 ? "nothing" : String(count)
}

export const configRenderers: Renderers<typeof configOperations> = {
  show: renderConfig,
  check: { text: renderConfigCheck, isGood: (it) => it.isValid },
  set: renderSetting,
  unset: renderSetting,
}

export const doctorRenderers: Renderers<typeof doctorOperations> = {
  run: { text: renderDoctor, isGood: (it) => it.isHealthy },
}

export const nowRenderers: Renderers<typeof nowOperations> = {
  show: renderNow,
}

export const hostsRenderers: Renderers<typeof hostsOperations> = {
  list: renderHosts,
}

type Repositories = { readonly repositories: readonly RepositoryEntry[] }

function renderFleet({ repositories }: Repositories, screen: Screen): string {
  const { paint } = screen
  const rows = repositories.map((it) => [
    it.isCurrent ? paint.bold(it.name) : it.name,
    healthText(it, screen),
    it.branch ?? "",
    it.kitVersion === null ? "none" : `${it.kitVersion}, level ${it.level}`,
    it.claims === null ? "unknown" : String(it.claims),
    describeWaiting(it),
    it.spendUsd === null ? "unknown" : formatCostSum(it.spendUsd, it.unknownCosts ?? 0),
    paint.muted(it.root),
  ])
  const headings = [
    "Repository",
    "Health",
    "Branch",
    "Kit",
    "Claims",
    "Approvals",
    "Cost of runs",
    "Folder",
  ]
  const problems = repositories.flatMap((it) =>
    it.problems.map((problem) => paint.warn(`${it.name}: ${problem}`)),
  )
  const isListed = repositories.some((it) => it.isCurrent && it.addedAt !== null)
  return [
    listing(headings, rows, screen),
    ...(problems.length === 0 ? [] : ["", ...problems]),
    ...(isListed ? [] : ["", paint.muted("`qm up` adds this repository to the list.")]),
  ].join("\n")
}

function healthText({ health }: RepositoryEntry, { paint }: Screen): string {
  if (health === "ok") return paint.ok("ok")
  return health === "missing" ? paint.bad("folder missing") : paint.warn("warning")
}

function describeWaiting({ waiting }: RepositoryEntry): string {
  if (waiting === null) return "unknown"
  return waiting === 0 ? "none" : `${waiting} waiting`
}

export const fleetRenderers: Renderers<typeof fleetOperations> = {
  list: renderFleet,
  add: renderFleet,
  remove: renderFleet,
}

export const dashboardRenderers: Renderers<typeof dashboardOperations> = {
  write: ({ file, bytes, sections }, { paint }) =>
    [
      `Wrote ${file} (${formatBytes(bytes)}).`,
      ...sections.map((it) => paint.muted(`  ${it.name}: ${it.missing ?? plural(it.rows, "row")}`)),
    ].join("\n"),
}

export const demoRenderers: Renderers<typeof demoOperations> = {
  create: ({ folder, files, commits }) => {
    const history = commits === 0 ? "no history, because git is missing" : plural(commits, "commit")
    const next = ["qm capture", 'qm pack "quotes and invoices differ by a cent, fix roundLine"']
    return [
      `Created ${folder}: ${plural(files, "file")}, ${history}.`,
      `\nNext, in that folder:`,
      ...next.map((line) => `  ${line}`),
    ].join("\n")
  },
}

const INSTALLED = {
  global: "installed globally",
  npx: "started by npx, which caches one version until you name another",
  dependency: "a dependency of a project",
  clone: "a clone of the repository",
  "claude-plugin": "a plugin of Claude Code",
  container: "a container image",
  unknown: "not installed by a known package manager",
} as const

function renderUpgrade(upgrade: OperationOutput<"upgrade.show">, { paint }: Screen): string {
  const { version, installed, folder, steps, latest, isNewest } = upgrade
  const head = `qm ${version}, ${INSTALLED[installed]}\n${paint.muted(folder)}`
  if (isNewest === true) return `${head}\n\n${paint.ok("ok")}  ${version} is the newest version.`
  const reason = latest === null ? "To update:" : `Version ${latest} is available. To update:`
  return `${head}\n\n${reason}\n${steps.map((it) => `  ${it}`).join("\n")}`
}

export const upgradeRenderers: Renderers<typeof upgradeOperations> = { show: renderUpgrade }

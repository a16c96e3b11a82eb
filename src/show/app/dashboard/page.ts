import {
  closeStaticPage,
  escapeMarkup,
  formatAgo,
  formatExact,
  formatUsd,
  openStaticPage,
  plural,
  type StaticFact,
  visibleLine,
} from "#ground/base"
import type { OperationOutput } from "#ground/contract"

export type Section<Value> =
  | { readonly kind: "read"; readonly value: Value }
  | { readonly kind: "missing"; readonly why: string }

export type DashboardState = {
  readonly at: number
  readonly name: string
  readonly now: Section<OperationOutput<"now.show">>
  readonly context: Section<OperationOutput<"capture.list">>
  readonly sessions: Section<OperationOutput<"sessions.list">>
  readonly ledger: Section<OperationOutput<"session.list">>
  readonly cost: Section<OperationOutput<"sessions.cost">>
  readonly board: Section<OperationOutput<"board.show">>
  readonly claims: Section<OperationOutput<"claim.list">>
  readonly decisions: Section<OperationOutput<"decision.list">>
}

const MOST_TICKETS_A_LANE = 12
const MOST_CELL_UNITS = 300

/** One page without scripts. Every text is redacted, made visible and escaped, in this order. */
export function renderDashboard(state: DashboardState, redact: (text: string) => string): string {
  const text = (value: string) => escapeMarkup(visibleLine(redact(value)).slice(0, MOST_CELL_UNITS))
  const page = createPage(state, text)
  const heading = text(state.name)
  const sections = [
    page.context(),
    page.sessions(),
    page.ledger(),
    page.cost(),
    page.board(),
    page.claims(),
    page.decisions(),
  ]
  const title = `${heading} · Quartermaster`
  const head = openStaticPage({ title, heading, facts: page.facts(), style: STYLE })
  const footer = `Written by Quartermaster ${dateTag(state.at)}. It does not update itself.`
  return `${head}${sections.join("\n")}\n${closeStaticPage(footer)}`
}

type Escape = (value: string) => string

function createPage(state: DashboardState, text: Escape) {
  const ago = (at: number) =>
    `<time datetime="${new Date(at).toISOString()}">${formatAgo(state.at - at)}</time>`

  function block<Value>(
    title: string,
    of: Section<Value>,
    draw: (value: Value) => { readonly count: string; readonly body: string },
  ): string {
    const { count, body } =
      of.kind === "read"
        ? draw(of.value)
        : { count: "", body: empty(`Not available: ${text(of.why)}`) }
    const id = title.toLowerCase()
    return `<section aria-labelledby="${id}"><h2 id="${id}">${title}${count === "" ? "" : ` <span>${count}</span>`}</h2>${body}</section>`
  }

  return {
    facts(): readonly StaticFact[] {
      if (state.now.kind === "missing") return [["State", text(state.now.why)]]
      const { repository, health, spend, running, waiting } = state.now.value
      const problems = health.failed + health.warnings
      const healthText = health.isHealthy
        ? `ok${problems === 0 ? "" : `, ${plural(problems, "warning")}`}`
        : `${plural(health.failed, "check")} failed`
      return [
        ["Branch", text(repository.branch ?? "none")],
        ["Health", healthText],
        ["Running", formatExact(running.length)],
        ["Waiting", formatExact(waiting.length)],
        ["Spend today", usdText(spend.todayUsd)],
        ["Folder", text(repository.root)],
      ]
    },

    context: () =>
      block("Context", state.context, ({ captures }) => {
        const most = Math.max(1, ...captures.map((it) => it.tokensInWindow))
        const rows = captures.map((it) => [
          text(it.host),
          bar(it.tokensInWindow / most),
          formatExact(it.tokensInWindow),
          formatExact(it.tokensOnDemand),
          formatExact(it.files),
          ago(it.lastSeenAt),
        ])
        const headings = ["Host", "Start context", "Tokens", "On demand", "Files", "Last seen"]
        return {
          count: plural(captures.length, "capture"),
          body: table(headings, rows, "No capture yet. Take one with <code>qm capture</code>."),
        }
      }),

    sessions: () =>
      block("Sessions", state.sessions, ({ sessions, total }) => {
        const rows = sessions.map((it) => [
          text(it.title),
          text([it.host, ...it.models].join(", ")),
          text(it.branch ?? ""),
          formatExact(it.turns),
          it.peakTokens === null ? "" : formatExact(it.peakTokens),
          usdText(it.spend.usd),
          it.endedAt === null ? "" : ago(it.endedAt),
        ])
        return {
          count: plural(total, "transcript"),
          body: table(
            ["Session", "Agent", "Branch", "Turns", "Peak tokens", "Cost", "Last"],
            rows,
            "No transcript is indexed. Index them with <code>qm sessions import</code>.",
          ),
        }
      }),

    ledger: () =>
      block("Ledger", state.ledger, ({ live, logged, loggedCount }) => {
        const recent = live.map((it) => [
          text(it.host ?? "unknown"),
          `<code>${text(it.session)}</code>`,
          formatExact(it.edits),
          formatExact(it.files),
          registeredText(it),
          ago(it.lastAt),
        ])
        const records = logged.map((it) => [text(it.date), text(it.title), text(it.request)])
        const first = table(
          ["Host", "Session", "Edits", "Files", "Registered", "Last activity"],
          recent,
          "No session in the last 7 days.",
        )
        return {
          count: `${formatExact(live.length)} recent, ${plural(loggedCount, "record")}`,
          body:
            first +
            (records.length === 0
              ? ""
              : `<h3>Records</h3>${table(["Date", "Title", "Request"], records, "")}`),
        }
      }),

    cost: () =>
      block("Cost", state.cost, ({ rows, total, unpricedModels }) => {
        const most = Math.max(0.01, ...rows.map((it) => it.spend.usd ?? 0))
        const cells = rows.map((it) => [
          text(it.label),
          bar((it.spend.usd ?? 0) / most),
          usdText(it.spend.usd),
          formatExact(it.spend.calls),
        ])
        const unknown =
          unpricedModels.length === 0
            ? ""
            : `<p class="quiet">Without a known price: ${text(unpricedModels.join(", "))}</p>`
        return {
          count: `${usdText(total.usd)} in 30 days, at list prices`,
          body:
            table(["Day", "Share", "Cost", "Calls"], cells, "No session was imported.") + unknown,
        }
      }),

    board: () =>
      block("Board", state.board, ({ lanes, tickets, total }) => {
        const columns = lanes.map(({ lane, tickets: size, limit }) => {
          const own = tickets.filter((it) => it.lane === lane)
          const items = own.slice(0, MOST_TICKETS_A_LANE).map((it) => {
            const blocked =
              it.blockedReason === null
                ? ""
                : ` <b class="warn">blocked: ${text(it.blockedReason)}</b>`
            return `<li><span class="quiet">${it.number}</span> ${text(it.title)}${blocked}</li>`
          })
          const left = own.length - items.length
          const more = left > 0 ? `<li class="quiet">and ${left} more</li>` : ""
          const cap = limit === 0 ? formatExact(size) : `${size} of ${limit}`
          return `<div class="lane"><h3>${text(lane)} <span>${cap}</span></h3><ul>${items.join("")}${more}</ul></div>`
        })
        const body =
          total === 0
            ? empty("No ticket. Add one with <code>qm ticket new</code>.")
            : `<div class="lanes">${columns.join("")}</div>`
        return { count: plural(total, "ticket"), body }
      }),

    claims: () =>
      block("Claims", state.claims, ({ claims }) => {
        const rows = claims.map((it) => [
          `<code>${text(it.path)}</code>`,
          `<code>${text(it.session)}</code>`,
          holderText(it.isHolderAlive),
          ago(it.takenAt),
        ])
        const headings = ["Path", "Session", "Holder", "Taken"]
        return {
          count: plural(claims.length, "claim"),
          body: table(headings, rows, "No file is claimed."),
        }
      }),

    decisions: () =>
      block("Decisions", state.decisions, ({ memories }) => {
        const rows = memories.map((it) => [text(it.title), text(it.state), ago(it.createdAt)])
        const nothing = "No decision. Record one with <code>qm decision add</code>."
        return {
          count: plural(memories.length, "decision"),
          body: table(["Decision", "State", "Recorded"], rows, nothing),
        }
      }),
  }
}

function empty(markup: string): string {
  return `<p class="quiet">${markup}</p>`
}

/** Cells are markup; the first column names the row. */
function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  nothing: string,
): string {
  if (rows.length === 0) return empty(nothing)
  const head = headings.map((it) => `<th scope="col">${it}</th>`).join("")
  const body = rows.map((row) => {
    const cells = row.map((cell, at) =>
      at === 0 ? `<th scope="row">${cell}</th>` : `<td data-name="${headings[at]}">${cell}</td>`,
    )
    return `<tr>${cells.join("")}</tr>`
  })
  return `<table><thead><tr>${head}</tr></thead><tbody>${body.join("")}</tbody></table>`
}

function bar(share: number): string {
  const percent = Math.round(Math.min(1, Math.max(0, share)) * 100)
  return `<span class="bar" aria-hidden="true"><i style="width:${percent}%"></i></span>`
}

function usdText(usd: number | null): string {
  return usd === null ? "unknown" : formatUsd(usd)
}

function registeredText(it: { readonly isRegistered: boolean; readonly drifted: number }): string {
  if (it.isRegistered) return "yes"
  return it.drifted > 0 ? `no, ${it.drifted} drifted` : "no"
}

function holderText(isAlive: boolean | null): string {
  if (isAlive === null) return "other machine"
  return isAlive ? "alive" : "ended"
}

function dateTag(at: number): string {
  const iso = new Date(at).toISOString()
  return `<time datetime="${iso}">${iso.slice(0, 16).replace("T", " ")} UTC</time>`
}

const STYLE = `
header,main,footer{max-width:1240px;padding:20px 24px}
main{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:16px;padding-top:0}
section{background:var(--surface);border:1px solid var(--line);border-radius:10px;padding:14px 16px;min-width:0}
section:nth-of-type(3),section:nth-of-type(4){grid-column:1/-1}
h2{margin:0 0 10px;font-size:15px;font-weight:600}
h3{margin:12px 0 6px;font-size:13px;font-weight:600}
h2 span,h3 span,dt,.quiet,thead th,footer,time{color:var(--text-2);font-weight:400}
h2 span{font-size:13px;margin-left:6px}
p{margin:0}
table{width:100%;border-collapse:collapse}
th,td{padding:5px 12px 5px 0;text-align:left;vertical-align:top;overflow-wrap:anywhere}
thead th{font-size:12px;white-space:nowrap}
tbody th{font-weight:500}
tbody tr{border-top:1px solid var(--line)}
code{overflow-wrap:anywhere}
.bar{display:block;min-width:60px;height:6px;margin-top:7px;border-radius:3px;background:var(--line)}
.bar i{display:block;height:100%;border-radius:3px;background:var(--accent)}
.lanes{display:grid;grid-template-columns:repeat(auto-fit,minmax(180px,1fr));gap:12px}
.lane h3{margin:0 0 6px}
.lane ul{margin:0;padding:0;list-style:none}
.lane li{padding:4px 0;border-top:1px solid var(--line);overflow-wrap:anywhere}
.warn{color:var(--warn);font-weight:500}
@media (max-width:900px){main{grid-template-columns:minmax(0,1fr)}header,main,footer{padding:16px}}
@media (max-width:560px){
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
tbody tr,tbody th,tbody td{display:block;padding:2px 0}
tbody tr{padding:6px 0}
tbody td::before{content:attr(data-name) " ";color:var(--text-2)}
tbody td:has(.bar)::before{content:none}}
@media print{section{break-inside:avoid}}
`

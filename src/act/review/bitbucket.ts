import { z } from "zod"
import type { PullRequest } from "#ground/contract"
import type { ProviderDeps, ReviewProvider } from "./provider.ts"

const Person = z.object({ nickname: z.string().nullish(), display_name: z.string().nullish() })
const Links = z.object({ html: z.object({ href: z.string() }).nullish() }).nullish()
const Side = z.object({ branch: z.object({ name: z.string() }) })

const Pull = z.object({
  id: z.int(),
  title: z.string(),
  state: z.string(),
  draft: z.boolean().nullish(),
  source: Side,
  destination: Side,
  author: Person.nullish(),
  links: Links,
  participants: z
    .array(z.object({ approved: z.boolean().nullish(), state: z.string().nullish() }))
    .nullish(),
})

const Comment = z.object({
  id: z.int(),
  content: z.object({ raw: z.string().nullish() }),
  user: Person.nullish(),
  inline: z.object({ path: z.string(), to: z.int().nullish() }).nullish(),
  links: Links,
  deleted: z.boolean().nullish(),
  resolution: z.unknown().optional(),
  parent: z.object({ id: z.int() }).nullish(),
})

const page = <Shape extends z.ZodType>(shape: Shape) => z.object({ values: z.array(shape) })
const nameOf = (it: z.output<typeof Person> | null | undefined): string =>
  it?.nickname ?? it?.display_name ?? ""

const STATES = new Map<string, PullRequest["state"]>([
  ["OPEN", "open"],
  ["MERGED", "merged"],
])

function pullOf(it: z.output<typeof Pull>): PullRequest {
  const { state, participants } = it
  return {
    number: it.id,
    title: it.title,
    url: it.links?.html?.href ?? "",
    state: STATES.get(state) ?? "closed",
    isDraft: it.draft === true,
    branch: it.source.branch.name,
    base: it.destination.branch.name,
    author: nameOf(it.author),
    ci: "unknown",
    review: participants ? reviewOf(participants) : "unknown",
  }
}

function reviewOf(
  participants: readonly { readonly approved?: unknown; readonly state?: unknown }[],
): PullRequest["review"] {
  if (participants.some((it) => it.state === "changes_requested")) return "changes-requested"
  return participants.some((it) => it.approved === true) ? "approved" : "waiting"
}

function ciOf(states: readonly string[]): PullRequest["ci"] {
  if (states.length === 0) return "none"
  if (states.some((it) => it === "FAILED" || it === "STOPPED")) return "failed"
  return states.every((it) => it === "SUCCESSFUL") ? "passed" : "running"
}

export function bitbucket({ path, ask }: ProviderDeps): ReviewProvider {
  const pulls = `repositories/${path}/pullrequests`
  const get = <Shape extends z.ZodType>(at: string, shape: Shape, what: string) =>
    ask({ method: "GET", path: at, what }, shape)
  const read = (number: number) => get(`${pulls}/${number}`, Pull, "read the pull request")

  return {
    async list({ branch }) {
      const at = `${pulls}?state=OPEN&pagelen=50`
      const { values } = await get(at, page(Pull), "list pull requests")
      return values.map(pullOf).filter((it) => branch === undefined || it.branch === branch)
    },
    find: async (number) => pullOf(await read(number)),
    async complete(pull) {
      const at = `${pulls}/${pull.number}/statuses?pagelen=100`
      const { values } = await get(at, page(z.object({ state: z.string() })), "read the CI state")
      const ci = ciOf(values.map((it) => it.state))
      return { ...pull, ci, review: pullOf(await read(pull.number)).review }
    },
    async create({ title, body, branch, base, isDraft }) {
      const content = {
        title,
        description: body,
        source: { branch: { name: branch } },
        destination: { branch: { name: base } },
        draft: isDraft,
      }
      const what = "open the pull request"
      const created = await ask({ method: "POST", path: pulls, body: content, what }, Pull)
      return { number: created.id, url: created.links?.html?.href ?? "" }
    },
    async comments(number) {
      const at = `${pulls}/${number}/comments?pagelen=100`
      const { values } = await get(at, page(Comment), "list review comments")
      const open = values.filter((it) => it.deleted !== true && (it.resolution ?? null) === null)
      return open.flatMap((it) => {
        if (it.parent) return []
        const replies = open.filter((other) => other.parent?.id === it.id).length
        const place = { path: it.inline?.path ?? null, line: it.inline?.to ?? null }
        const text = it.content.raw ?? ""
        const url = it.links?.html?.href ?? null
        return [{ id: String(it.id), author: nameOf(it.user), text, url, ...place, replies }]
      })
    },
    async post(number, { text, place }) {
      const inline = place === undefined ? {} : { inline: { path: place.path, to: place.line } }
      const body = { content: { raw: text }, ...inline }
      const at = `${pulls}/${number}/comments`
      const posted = await ask(
        { method: "POST", path: at, body, what: "post the comment" },
        Comment,
      )
      return posted.links?.html?.href ?? null
    },
  }
}

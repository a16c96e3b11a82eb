import { z } from "zod"
import type { PullRequest, ReviewComment } from "#ground/contract"
import type { ProviderDeps, ReviewProvider } from "./provider.ts"

/** Each has its own list of comments. */
const MOST_REVIEWS = 50

const User = z.object({ login: z.string() }).nullish()

const Pull = z.object({
  number: z.int(),
  title: z.string(),
  html_url: z.string(),
  state: z.string(),
  merged: z.boolean().nullish(),
  draft: z.boolean().nullish(),
  head: z.object({ ref: z.string(), sha: z.string() }),
  base: z.object({ ref: z.string() }),
  user: User,
})

const Review = z.object({
  id: z.int(),
  state: z.string(),
  dismissed: z.boolean().nullish(),
  comments_count: z.int().nullish(),
})

const Comment = z.object({
  id: z.int(),
  body: z.string(),
  path: z.string().nullish(),
  position: z.int().nullish(),
  html_url: z.string().nullish(),
  resolver: z.unknown().optional(),
  user: User,
})

const Posted = z.object({ html_url: z.string().nullish() })

const CI = new Map<string, PullRequest["ci"]>([
  ["success", "passed"],
  ["failure", "failed"],
  ["error", "failed"],
  ["warning", "passed"],
  ["pending", "running"],
])

function pullOf(it: z.output<typeof Pull>): PullRequest {
  const ended = it.merged === true ? "merged" : "closed"
  return {
    number: it.number,
    title: it.title,
    url: it.html_url,
    state: it.state === "open" ? "open" : ended,
    isDraft: it.draft === true,
    branch: it.head.ref,
    base: it.base.ref,
    author: it.user?.login ?? "",
    ci: "unknown",
    review: "unknown",
  }
}

export function gitea({ path, ask }: ProviderDeps): ReviewProvider {
  const repository = `/repos/${path}`
  const pulls = `${repository}/pulls`
  const get = <Shape extends z.ZodType>(at: string, shape: Shape, what: string) =>
    ask({ method: "GET", path: at, what }, shape)
  const read = (number: number) => get(`${pulls}/${number}`, Pull, "read the pull request")
  const reviews = (number: number) =>
    get(`${pulls}/${number}/reviews?limit=${MOST_REVIEWS}`, z.array(Review), "list reviews")

  return {
    async list({ branch }) {
      const at = `${pulls}?state=open&sort=recentupdate&limit=50`
      const all = (await get(at, z.array(Pull), "list pull requests")).map(pullOf)
      return all.filter((it) => branch === undefined || it.branch === branch)
    },
    find: async (number) => pullOf(await read(number)),
    async complete(pull) {
      const { head } = await read(pull.number)
      const State = z.object({ state: z.string().nullish() })
      const at = `${repository}/commits/${encodeURIComponent(head.sha)}/status`
      const { state } = await get(at, State, "read the CI state")
      const counted = (await reviews(pull.number)).filter((it) => it.dismissed !== true)
      const has = (wish: string) => counted.some((it) => it.state === wish)
      const liked = has("APPROVED") ? "approved" : "waiting"
      const review = has("REQUEST_CHANGES") ? "changes-requested" : liked
      return { ...pull, ci: CI.get(state ?? "") ?? "none", review }
    },
    async create({ title, body, branch, base, isDraft }) {
      const content = { title: isDraft ? `WIP: ${title}` : title, body, head: branch, base }
      const what = "open the pull request"
      const created = await ask({ method: "POST", path: pulls, body: content, what }, Pull)
      return { number: created.number, url: created.html_url }
    },
    async comments(number) {
      const open: ReviewComment[] = []
      for (const review of await reviews(number)) {
        if (review.comments_count === 0) continue
        const at = `${pulls}/${number}/reviews/${review.id}/comments`
        for (const it of await get(at, z.array(Comment), "list review comments")) {
          if ((it.resolver ?? null) !== null) continue
          open.push({
            id: String(it.id),
            author: it.user?.login ?? "",
            text: it.body,
            path: it.path ?? null,
            line: it.position ?? null,
            url: it.html_url ?? null,
            replies: 0,
          })
        }
      }
      return open
    },
    async post(number, { text, place }) {
      const what = "post the comment"
      if (place === undefined) {
        const at = `${repository}/issues/${number}/comments`
        const request = { method: "POST", path: at, body: { body: text }, what } as const
        return (await ask(request, Posted)).html_url ?? null
      }
      const comments = [{ path: place.path, body: text, new_position: place.line }]
      const body = { event: "COMMENT", comments }
      const request = { method: "POST", path: `${pulls}/${number}/reviews`, body, what } as const
      return (await ask(request, Posted)).html_url ?? null
    },
  }
}

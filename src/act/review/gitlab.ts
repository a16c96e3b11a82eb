import { z } from "zod"
import type { PullRequest } from "#ground/contract"
import type { ProviderDeps, ReviewProvider } from "./provider.ts"

const Request = z.object({
  iid: z.int(),
  title: z.string(),
  web_url: z.string(),
  state: z.string(),
  draft: z.boolean().nullish(),
  source_branch: z.string(),
  target_branch: z.string(),
  author: z.object({ username: z.string() }).nullish(),
  head_pipeline: z.object({ status: z.string() }).nullish(),
  diff_refs: z
    .object({ base_sha: z.string(), head_sha: z.string(), start_sha: z.string() })
    .nullish(),
})

const Approvals = z.object({
  approved: z.boolean().nullish(),
  approved_by: z.array(z.unknown()).nullish(),
})

const Note = z.object({
  id: z.int(),
  body: z.string(),
  author: z.object({ username: z.string() }).nullish(),
  resolvable: z.boolean().nullish(),
  resolved: z.boolean().nullish(),
  position: z.object({ new_path: z.string().nullish(), new_line: z.int().nullish() }).nullish(),
})
const Discussion = z.object({ id: z.string(), notes: z.array(Note) })

const CI = new Map<string, PullRequest["ci"]>([
  ["success", "passed"],
  ["failed", "failed"],
  ["canceled", "failed"],
  ["skipped", "none"],
  ["manual", "running"],
])

const STATES = new Map<string, PullRequest["state"]>([
  ["opened", "open"],
  ["merged", "merged"],
])

function pullOf(it: z.output<typeof Request>): PullRequest {
  const { state } = it
  return {
    number: it.iid,
    title: it.title,
    url: it.web_url,
    state: STATES.get(state) ?? "closed",
    isDraft: it.draft === true,
    branch: it.source_branch,
    base: it.target_branch,
    author: it.author?.username ?? "",
    ci: "unknown",
    review: "unknown",
  }
}

export function gitlab({ path, ask }: ProviderDeps): ReviewProvider {
  const requests = `projects/${encodeURIComponent(path)}/merge_requests`
  const get = <Shape extends z.ZodType>(at: string, shape: Shape, what: string) =>
    ask({ method: "GET", path: at, what }, shape)

  return {
    async list({ branch }) {
      const own = branch === undefined ? "" : `&source_branch=${encodeURIComponent(branch)}`
      const at = `${requests}?state=opened&order_by=updated_at&per_page=50${own}`
      return (await get(at, z.array(Request), "list merge requests")).map(pullOf)
    },
    find: async (number) =>
      pullOf(await get(`${requests}/${number}`, Request, "read the merge request")),
    async complete(pull) {
      const at = `${requests}/${pull.number}`
      const { head_pipeline: pipeline } = await get(at, Request, "read the merge request")
      const approvals = await get(`${at}/approvals`, Approvals, "read the approvals")
      const isApproved = approvals.approved === true && (approvals.approved_by ?? []).length > 0
      const ci = pipeline ? (CI.get(pipeline.status) ?? "running") : "none"
      return { ...pull, ci, review: isApproved ? "approved" : "waiting" }
    },
    async create({ title, body, branch, base, isDraft }) {
      const content = {
        source_branch: branch,
        target_branch: base,
        title: isDraft ? `Draft: ${title}` : title,
        description: body,
      }
      const request = { method: "POST", path: requests, body: content } as const
      const created = await ask({ ...request, what: "open the merge request" }, Request)
      return { number: created.iid, url: created.web_url }
    },
    async comments(number) {
      const at = `${requests}/${number}/discussions?per_page=100`
      const discussions = await get(at, z.array(Discussion), "list review comments")
      return discussions.flatMap(({ id, notes }) => {
        const [first, ...replies] = notes
        const isOpen = first?.resolvable === true && first.resolved !== true
        if (first === undefined || !isOpen) return []
        const place = {
          path: first.position?.new_path ?? null,
          line: first.position?.new_line ?? null,
        }
        const author = first.author?.username ?? ""
        return [{ id, author, text: first.body, url: null, ...place, replies: replies.length }]
      })
    },
    async post(number, { text, place }) {
      const at = `${requests}/${number}`
      const what = "post the comment"
      if (place === undefined) {
        await ask({ method: "POST", path: `${at}/notes`, body: { body: text }, what }, z.unknown())
        return null
      }
      const { diff_refs: refs } = await get(at, Request, "read the merge request")
      const position = {
        position_type: "text",
        ...refs,
        old_path: place.path,
        new_path: place.path,
        new_line: place.line,
      }
      const body = { body: text, position }
      await ask({ method: "POST", path: `${at}/discussions`, body, what }, z.unknown())
      return null
    },
  }
}

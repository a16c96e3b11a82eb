import { z } from "zod"
import type { PullRequest } from "#ground/contract"
import type { ProviderDeps, ReviewProvider } from "./provider.ts"

const FIELDS = `number title url state isDraft headRefName baseRefName author { login } reviewDecision
  commits(last: 1) { nodes { commit { oid statusCheckRollup { state } } } }`

const LIST = `query($owner: String!, $name: String!, $branch: String) {
  repository(owner: $owner, name: $name) {
    pullRequests(states: OPEN, headRefName: $branch, first: 50, orderBy: { field: UPDATED_AT, direction: DESC }) {
      nodes { ${FIELDS} }
    }
  }
}`

const FIND = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { ${FIELDS} } }
}`

const THREADS = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100) {
        nodes {
          isResolved path line
          comments(first: 50) { nodes { id body url author { login } } }
        }
      }
    }
  }
}`

const Author = z.object({ login: z.string() }).nullish()

const Pull = z
  .object({
    number: z.int(),
    title: z.string(),
    url: z.string(),
    state: z.enum(["OPEN", "MERGED", "CLOSED"]),
    isDraft: z.boolean(),
    headRefName: z.string(),
    baseRefName: z.string(),
    author: Author,
    reviewDecision: z.string().nullish(),
    commits: z.object({
      nodes: z.array(
        z.object({
          commit: z.object({
            oid: z.string(),
            statusCheckRollup: z.object({ state: z.string() }).nullish(),
          }),
        }),
      ),
    }),
  })
  .transform((it): PullRequest & { readonly commit: string | undefined } => {
    const commit = it.commits.nodes[0]?.commit
    return {
      number: it.number,
      title: it.title,
      url: it.url,
      state: STATES[it.state],
      isDraft: it.isDraft,
      branch: it.headRefName,
      base: it.baseRefName,
      author: it.author?.login ?? "",
      ci: CI.get(commit?.statusCheckRollup?.state ?? "") ?? (commit ? "none" : "unknown"),
      review: REVIEW.get(it.reviewDecision ?? "") ?? "waiting",
      commit: commit?.oid,
    }
  })

function withoutCommit(pull: z.output<typeof Pull>): PullRequest {
  const { commit: _, ...rest } = pull
  return rest
}

const STATES = { OPEN: "open", MERGED: "merged", CLOSED: "closed" } as const

const CI = new Map<string, PullRequest["ci"]>([
  ["SUCCESS", "passed"],
  ["FAILURE", "failed"],
  ["ERROR", "failed"],
  ["PENDING", "running"],
  ["EXPECTED", "running"],
])

const REVIEW = new Map<string, PullRequest["review"]>([
  ["APPROVED", "approved"],
  ["CHANGES_REQUESTED", "changes-requested"],
])

const inRepository = <Shape extends z.ZodType>(shape: Shape) =>
  z.object({ data: z.object({ repository: shape }) })

const Created = z.object({ number: z.int(), html_url: z.string() })
const Posted = z.object({ html_url: z.string().nullish() })

export function github({ path, ask }: ProviderDeps): ReviewProvider {
  const [owner = "", name = ""] = path.split("/")
  const repository = `repos/${owner}/${name}`
  const query = (text: string, variables: Readonly<Record<string, unknown>>, what: string) => ({
    method: "POST" as const,
    path: "graphql",
    body: { query: text, variables: { owner, name, ...variables } },
    what,
  })

  async function findWithCommit(number: number) {
    const shape = inRepository(z.object({ pullRequest: Pull }))
    const answer = await ask(query(FIND, { number }, "read the pull request"), shape)
    return answer.data.repository.pullRequest
  }

  return {
    async list({ branch = null }: { readonly branch?: string | null }) {
      const shape = inRepository(z.object({ pullRequests: z.object({ nodes: z.array(Pull) }) }))
      const answer = await ask(query(LIST, { branch }, "list pull requests"), shape)
      return answer.data.repository.pullRequests.nodes.map(withoutCommit)
    },
    async find(number) {
      return withoutCommit(await findWithCommit(number))
    },
    complete: async (pull) => pull,
    async create({ title, body, branch, base, isDraft }) {
      const content = { title, body, head: branch, base, draft: isDraft }
      const path = `${repository}/pulls`
      const what = "open the pull request"
      const created = await ask({ method: "POST", path, body: content, what }, Created)
      return { number: created.number, url: created.html_url }
    },
    async comments(number) {
      const Thread = z.object({
        isResolved: z.boolean(),
        path: z.string().nullish(),
        line: z.int().nullish(),
        comments: z.object({
          nodes: z.array(
            z.object({ id: z.string(), body: z.string(), url: z.string(), author: Author }),
          ),
        }),
      })
      const shape = inRepository(
        z.object({
          pullRequest: z.object({ reviewThreads: z.object({ nodes: z.array(Thread) }) }),
        }),
      )
      const answer = await ask(query(THREADS, { number }, "list review comments"), shape)
      const threads = answer.data.repository.pullRequest.reviewThreads.nodes
      return threads.flatMap(({ isResolved, path: file, line, comments }) => {
        const [first, ...replies] = comments.nodes
        if (isResolved || first === undefined) return []
        const { id, body, url, author } = first
        const place = { path: file ?? null, line: line ?? null }
        return [
          { id, author: author?.login ?? "", text: body, url, ...place, replies: replies.length },
        ]
      })
    },
    async post(number, { text, place }) {
      const what = "post the comment"
      const method = "POST"
      if (place === undefined) {
        const path = `${repository}/issues/${number}/comments`
        return (await ask({ method, path, body: { body: text }, what }, Posted)).html_url ?? null
      }
      const { commit } = await findWithCommit(number)
      const body = { body: text, commit_id: commit ?? "", side: "RIGHT", ...place }
      const request = {
        method,
        path: `${repository}/pulls/${number}/comments`,
        body,
        what,
      } as const
      return (await ask(request, Posted)).html_url ?? null
    },
  }
}

import { z } from "zod"
import type { PullRequest, ReviewComment, ReviewTool } from "#ground/contract"
import { bitbucket } from "./bitbucket.ts"
import { ReviewFailed } from "./errors.ts"
import { gitea } from "./gitea.ts"
import { github } from "./github.ts"
import { gitlab } from "./gitlab.ts"
import type { ApiRequest, ToolCall } from "./tool.ts"

type PullDraft = {
  readonly title: string
  readonly body: string
  readonly branch: string
  readonly base: string
  readonly isDraft: boolean
}

type NewComment = {
  readonly text: string
  readonly place: { readonly path: string; readonly line: number } | undefined
}

/** One server's pull requests. `list` may leave `ci` and `review` unknown; `complete` asks for them. */
export type ReviewProvider = {
  list(query: { readonly branch?: string }): Promise<readonly PullRequest[]>
  find(number: number): Promise<PullRequest>
  complete(pull: PullRequest): Promise<PullRequest>
  create(draft: PullDraft): Promise<{ readonly number: number; readonly url: string }>
  comments(number: number): Promise<readonly ReviewComment[]>
  /** The address of the comment. */
  post(number: number, comment: NewComment): Promise<string | null>
}

export type ProviderDeps = {
  readonly path: string
  ask<Shape extends z.ZodType>(request: ApiRequest, shape: Shape): Promise<z.output<Shape>>
}

const PROVIDERS: Readonly<Record<ReviewTool, (deps: ProviderDeps) => ReviewProvider>> = {
  gh: github,
  glab: gitlab,
  bb: bitbucket,
  tea: gitea,
}

export function createProvider(
  tool: ReviewTool,
  { path, call }: { readonly path: string; readonly call: ToolCall },
): ReviewProvider {
  return PROVIDERS[tool]({
    path,
    async ask(request, shape) {
      const parsed = shape.safeParse(await call(request))
      if (parsed.success) return parsed.data
      const [issue] = parsed.error.issues
      const reason = `the answer has an unknown shape at ${issue?.path.join(".") || "its top"}`
      throw ReviewFailed({ tool, what: request.what, reason })
    },
  })
}

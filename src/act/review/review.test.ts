import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import path from "node:path"
import { describe, expect, test } from "vitest"
import type { PullRequest, ReviewTool } from "#ground/contract"
import { git } from "#test/git"
import { needs } from "#test/needs"
import { CALL, type Clones, type ScriptedAnswer, twoClones } from "#test/review-room"
import { parseRemote, toolFor } from "./tool.ts"

describe("the program of a remote", () => {
  test("[REVIEW-1] addresses give host and path, and nothing that could be a flag or another path", () => {
    const cases: readonly (readonly [string, string | undefined])[] = [
      ["git@github.com:team/shop.git", "github.com team/shop"],
      ["https://user:word@GitHub.com/team/shop", "github.com team/shop"],
      [
        "ssh://git@gitlab.example.test:2222/group/sub/shop.git/",
        "gitlab.example.test group/sub/shop",
      ],
      ["https://bitbucket.org/team/shop.git", "bitbucket.org team/shop"],
      ["codeberg.org:team/shop", "codeberg.org team/shop"],
      ["/srv/git/shop.git", undefined],
      ["file:///srv/git/shop.git", undefined],
      ["C:\\git\\shop", undefined],
      ["ext::sh -c evil", undefined],
      ["https://example.test/shop", undefined],
      ["https://example.test/../../shop", undefined],
      ["https://example.test/team/--flag?x", "example.test team/--flag"],
      ["git@-oProxyCommand=x:team/shop", undefined],
    ]
    for (const [url, expected] of cases) {
      const forge = parseRemote(url)
      expect([url, forge && `${forge.host} ${forge.path}`]).toEqual([url, expected])
    }
  })

  test("[REVIEW-1] the host decides, or the setting", () => {
    const toolOf = (host: string) => toolFor({ host, path: "team/shop" }, "auto")
    expect(
      [
        "github.com",
        "github.example.test",
        "gitlab.com",
        "gitlab.example.test",
        "bitbucket.org",
        "codeberg.org",
        "gitea.example.test",
      ].map(toolOf),
    ).toEqual(["gh", "gh", "glab", "glab", "bb", "tea", "tea"])
    expect(() => toolOf("example.test")).toThrow(
      "No program for pull requests is known for the host example.test.",
    )
    expect(toolFor({ host: "example.test", path: "a/b" }, "glab")).toBe("glab")
  })
})

type Scene = {
  readonly tool: ReviewTool
  readonly url: string
  readonly login: readonly ScriptedAnswer[]
  readonly noLogin: ScriptedAnswer
  readonly list: (branch: string, isEmpty?: boolean) => ScriptedAnswer
  readonly complete: readonly ScriptedAnswer[]
  readonly create: ScriptedAnswer
  readonly comments: readonly ScriptedAnswer[]
  readonly post: ScriptedAnswer
  readonly postLine: readonly ScriptedAnswer[]
  readonly pull: Partial<PullRequest>
}

const json = (value: unknown) => JSON.stringify(value)
const TITLE = "fix rounding"
const BODY = "Rounds half up."

const GITHUB_PULL = {
  number: 7,
  title: TITLE,
  url: "https://github.com/team/shop/pull/7",
  state: "OPEN",
  isDraft: false,
  headRefName: "topic",
  baseRefName: "main",
  author: { login: "ann" },
  reviewDecision: "CHANGES_REQUESTED",
  commits: { nodes: [{ commit: { oid: "c0ffee", statusCheckRollup: { state: "FAILURE" } } }] },
}
const gh = (method: string, at: string, isPosted: boolean) => [
  "api",
  "--hostname",
  "github.com",
  "--method",
  method,
  ...(isPosted ? ["--input", "-"] : []),
  at,
]
const ghData = (repository: unknown) => json({ data: { repository } })

const glabPath = "projects/group%2Fshop/merge_requests"
const glab = (method: string, at: string, isPosted = false) => [
  "api",
  "--hostname",
  "gitlab.com",
  "--method",
  method,
  "--header",
  "Content-Type: application/json",
  ...(isPosted ? ["--input", "-"] : []),
  at,
]
const GITLAB_PULL = {
  iid: 7,
  title: TITLE,
  web_url: "https://gitlab.com/group/shop/-/merge_requests/7",
  state: "opened",
  draft: false,
  source_branch: "topic",
  target_branch: "main",
  author: { username: "ann" },
  head_pipeline: { status: "success" },
  diff_refs: { base_sha: "b", head_sha: "h", start_sha: "s" },
}

const bbPath = "repositories/team/shop/pullrequests"
const bb = (method: string, at: string, body?: unknown) => [
  "api",
  "--method",
  method,
  "--header",
  "Content-Type=application/json",
  at,
  ...(body === undefined ? [] : [json(body)]),
]
const BITBUCKET_PULL = {
  id: 7,
  title: TITLE,
  state: "OPEN",
  source: { branch: { name: "topic" } },
  destination: { branch: { name: "main" } },
  author: { nickname: "ann" },
  links: { html: { href: "https://bitbucket.org/team/shop/pull-requests/7" } },
  participants: [{ approved: true, state: "approved" }],
}

const tea = (method: string, at: string, body?: unknown) => [
  "api",
  "--login",
  "work",
  "--method",
  method,
  ...(body === undefined ? [] : ["--data", json(body)]),
  at,
]
const GITEA_PULL = {
  number: 7,
  title: TITLE,
  html_url: "https://codeberg.org/team/shop/pulls/7",
  state: "open",
  head: { ref: "topic", sha: "c0ffee" },
  base: { ref: "main" },
  user: { login: "ann" },
}

const SCENES: readonly Scene[] = [
  {
    tool: "gh",
    url: "git@github.com:team/shop.git",
    login: [{ args: ["auth", "status", "--hostname", "github.com"] }],
    noLogin: {
      args: ["auth", "status", "--hostname", "github.com"],
      err: "You are not logged in",
      code: 1,
    },
    list: (_, isEmpty = false) => ({
      args: gh("POST", "graphql", true),
      out: ghData({ pullRequests: { nodes: isEmpty ? [] : [GITHUB_PULL] } }),
    }),
    complete: [],
    create: {
      args: gh("POST", "repos/team/shop/pulls", true),
      body: { title: TITLE, body: BODY, head: "topic", base: "main", draft: false },
      out: json({ number: 7, html_url: GITHUB_PULL.url }),
    },
    comments: [
      {
        args: gh("POST", "graphql", true),
        out: ghData({
          pullRequest: {
            reviewThreads: {
              nodes: [
                {
                  isResolved: false,
                  path: "a.txt",
                  line: 3,
                  comments: {
                    nodes: [
                      {
                        id: "c1",
                        body: "Why?",
                        url: "https://x.test/c1",
                        author: { login: "bob" },
                      },
                      { id: "c2", body: "Because", url: "u", author: null },
                    ],
                  },
                },
                {
                  isResolved: true,
                  path: "a.txt",
                  line: 4,
                  comments: { nodes: [{ id: "c3", body: "Done", url: "u", author: null }] },
                },
              ],
            },
          },
        }),
      },
    ],
    post: {
      args: gh("POST", "repos/team/shop/issues/7/comments", true),
      body: { body: "Looks good" },
      out: json({ html_url: "https://x.test/p" }),
    },
    postLine: [
      { args: gh("POST", "graphql", true), out: ghData({ pullRequest: GITHUB_PULL }) },
      {
        args: gh("POST", "repos/team/shop/pulls/7/comments", true),
        body: { body: "Here", commit_id: "c0ffee", side: "RIGHT", path: "a.txt", line: 3 },
        out: json({ html_url: "https://x.test/l" }),
      },
    ],
    pull: { ci: "failed", review: "changes-requested" },
  },
  {
    tool: "glab",
    url: "https://gitlab.com/group/shop.git",
    login: [{ args: ["auth", "status", "--hostname", "gitlab.com"] }],
    noLogin: { args: ["auth", "status", "--hostname", "gitlab.com"], err: "No token", code: 1 },
    list: (branch, isEmpty = false) => ({
      args: glab(
        "GET",
        `${glabPath}?state=opened&order_by=updated_at&per_page=50&source_branch=${branch}`,
      ),
      out: json(isEmpty ? [] : [GITLAB_PULL]),
    }),
    complete: [
      { args: glab("GET", `${glabPath}/7`), out: json(GITLAB_PULL) },
      {
        args: glab("GET", `${glabPath}/7/approvals`),
        out: json({ approved: true, approved_by: [{}] }),
      },
    ],
    create: {
      args: glab("POST", glabPath, true),
      body: { source_branch: "topic", target_branch: "main", title: TITLE, description: BODY },
      out: json(GITLAB_PULL),
    },
    comments: [
      {
        args: glab("GET", `${glabPath}/7/discussions?per_page=100`),
        out: json([
          {
            id: "c1",
            notes: [
              {
                id: 1,
                body: "Why?",
                author: { username: "bob" },
                resolvable: true,
                resolved: false,
                position: { new_path: "a.txt", new_line: 3 },
              },
              { id: 2, body: "Because" },
            ],
          },
          { id: "c2", notes: [{ id: 3, body: "Done", resolvable: true, resolved: true }] },
          { id: "c3", notes: [{ id: 4, body: "assigned", resolvable: false }] },
        ]),
      },
    ],
    post: {
      args: glab("POST", `${glabPath}/7/notes`, true),
      body: { body: "Looks good" },
      out: json({ id: 1 }),
    },
    postLine: [
      { args: glab("GET", `${glabPath}/7`), out: json(GITLAB_PULL) },
      {
        args: glab("POST", `${glabPath}/7/discussions`, true),
        body: {
          body: "Here",
          position: {
            position_type: "text",
            base_sha: "b",
            head_sha: "h",
            start_sha: "s",
            old_path: "a.txt",
            new_path: "a.txt",
            new_line: 3,
          },
        },
        out: json({ id: "d" }),
      },
    ],
    pull: { ci: "passed", review: "approved" },
  },
  {
    tool: "bb",
    url: "git@bitbucket.org:team/shop.git",
    login: [],
    // It exits with 0 and prints the warning to stdout.
    noLogin: {
      args: bb("GET", `${bbPath}?state=OPEN&pagelen=50`),
      out: ":: Warning: Look's like you have not set up bb yet.\n",
    },
    list: (_, isEmpty = false) => ({
      args: bb("GET", `${bbPath}?state=OPEN&pagelen=50`),
      out: json({ values: isEmpty ? [] : [BITBUCKET_PULL] }),
    }),
    complete: [
      {
        args: bb("GET", `${bbPath}/7/statuses?pagelen=100`),
        out: json({ values: [{ state: "SUCCESSFUL" }, { state: "INPROGRESS" }] }),
      },
      { args: bb("GET", `${bbPath}/7`), out: json(BITBUCKET_PULL) },
    ],
    create: {
      args: bb("POST", bbPath, {
        title: TITLE,
        description: BODY,
        source: { branch: { name: "topic" } },
        destination: { branch: { name: "main" } },
        draft: false,
      }),
      out: json(BITBUCKET_PULL),
    },
    comments: [
      {
        args: bb("GET", `${bbPath}/7/comments?pagelen=100`),
        out: json({
          values: [
            {
              id: 1,
              content: { raw: "Why?" },
              user: { nickname: "bob" },
              inline: { path: "a.txt", to: 3 },
            },
            { id: 2, content: { raw: "Because" }, parent: { id: 1 } },
            { id: 3, content: { raw: "Done" }, resolution: { type: "resolved" } },
            { id: 4, content: { raw: "" }, deleted: true },
          ],
        }),
      },
    ],
    post: {
      args: bb("POST", `${bbPath}/7/comments`, { content: { raw: "Looks good" } }),
      out: json({ id: 9, content: { raw: "Looks good" } }),
    },
    postLine: [
      {
        args: bb("POST", `${bbPath}/7/comments`, {
          content: { raw: "Here" },
          inline: { path: "a.txt", to: 3 },
        }),
        out: json({ id: 9, content: { raw: "Here" } }),
      },
    ],
    pull: { ci: "running", review: "approved" },
  },
  {
    tool: "tea",
    url: "https://codeberg.org/team/shop.git",
    login: [
      {
        args: ["logins", "list", "--output", "json"],
        out: json([
          { name: "other", url: "https://other.test" },
          { name: "work", url: "https://codeberg.org" },
        ]),
      },
    ],
    noLogin: { args: ["logins", "list", "--output", "json"], out: "[]" },
    list: (_, isEmpty = false) => ({
      args: tea("GET", "/repos/team/shop/pulls?state=open&sort=recentupdate&limit=50"),
      out: json(isEmpty ? [] : [GITEA_PULL]),
    }),
    complete: [
      { args: tea("GET", "/repos/team/shop/pulls/7"), out: json(GITEA_PULL) },
      {
        args: tea("GET", "/repos/team/shop/commits/c0ffee/status"),
        out: json({ state: "pending" }),
      },
      {
        args: tea("GET", "/repos/team/shop/pulls/7/reviews?limit=50"),
        out: json([
          { id: 1, state: "APPROVED" },
          { id: 2, state: "REQUEST_CHANGES", dismissed: true },
        ]),
      },
    ],
    create: {
      args: tea("POST", "/repos/team/shop/pulls", {
        title: TITLE,
        body: BODY,
        head: "topic",
        base: "main",
      }),
      out: json(GITEA_PULL),
    },
    comments: [
      {
        args: tea("GET", "/repos/team/shop/pulls/7/reviews?limit=50"),
        out: json([
          { id: 1, state: "COMMENT" },
          { id: 2, state: "APPROVED", comments_count: 0 },
        ]),
      },
      {
        args: tea("GET", "/repos/team/shop/pulls/7/reviews/1/comments"),
        out: json([
          { id: 1, body: "Why?", path: "a.txt", position: 3, user: { login: "bob" } },
          { id: 2, body: "Done", path: "a.txt", position: 4, resolver: { login: "ann" } },
        ]),
      },
    ],
    post: {
      args: tea("POST", "/repos/team/shop/issues/7/comments", { body: "Looks good" }),
      out: json({ html_url: "https://x.test/p" }),
    },
    postLine: [
      {
        args: tea("POST", "/repos/team/shop/pulls/7/reviews", {
          event: "COMMENT",
          comments: [{ path: "a.txt", body: "Here", new_position: 3 }],
        }),
        out: json({ html_url: "https://x.test/l" }),
      },
    ],
    pull: { ci: "running", review: "approved" },
  },
]

async function pushedTopic(clones: Clones, url: string): Promise<void> {
  clones.iCommit("topic", { "a.txt": "mine\n" })
  git(clones.mine, "push", "-q", "origin", "topic")
  clones.remoteIs(url)
}

const CREATE = { title: TITLE, body: BODY, draft: false } as const

describe.runIf(needs("S5", "git"))("pull requests over the user's program", () => {
  test.for(SCENES)(
    "[REVIEW-2] $tool: create, status, comments and post send exactly these requests",
    async (scene) => {
      await using clones = await twoClones()
      const { tool, login } = scene
      await pushedTopic(clones, scene.url)
      const room = await clones.room()

      clones.script(tool, [...login, scene.list("topic", true), scene.create])
      const created = await room.create(CREATE, CALL)
      expect(created).toMatchObject({ tool, number: 7, branch: "topic", base: "main" })
      expect(created.url).toContain("/7")

      clones.script(tool, [...login, scene.list("topic"), ...scene.complete])
      const { pull, branch } = await room.status({ ticket: "T-1" }, CALL)
      expect([branch, pull]).toEqual([
        "topic",
        expect.objectContaining({
          number: 7,
          title: TITLE,
          state: "open",
          author: "ann",
          branch: "topic",
          base: "main",
          isDraft: false,
          ...scene.pull,
        }),
      ])
      await expect(room.create(CREATE, CALL)).rejects.toMatchObject({ code: "REVIEW_EXISTS" })

      clones.script(tool, [...login, ...scene.comments])
      const { comments } = await room.comments({ number: 7 }, CALL)
      expect(comments).toMatchObject([{ author: "bob", text: "Why?", path: "a.txt", line: 3 }])

      clones.script(tool, [...login, scene.post])
      expect(await room.post({ text: "Looks good", number: 7 }, CALL)).toMatchObject({
        tool,
        number: 7,
      })
      clones.script(tool, [...login, ...scene.postLine])
      await room.post({ text: "Here", number: 7, path: "a.txt", line: 3 }, CALL)

      const [call] = clones.calls(tool)
      expect(call?.cwd).not.toContain(clones.mine)
      expect(call?.env).not.toContain("QM_TEST_SECRET")
    },
  )

  test.for(SCENES)(
    "[REVIEW-3] $tool: without the program or its login the error says what to do, and nothing is sent",
    async (scene) => {
      await using clones = await twoClones()
      await pushedTopic(clones, scene.url)
      // Only our folder and git: the machine may have the real program.
      const gitOnly = path.join(clones.path, "git-only")
      git(clones.path, "init", "-q", gitOnly)
      const room = await clones.room(clones.mine, {
        environment: () => ({ PATH: gitOnly, HOME: clones.path }),
      })
      await expect(room.status({}, CALL)).rejects.toMatchObject({ code: "REVIEW_TOOL_MISSING" })
      clones.script(scene.tool, [scene.noLogin])
      const again = await clones.room(clones.mine, {
        environment: () => ({
          PATH: `${clones.bin}${path.delimiter}${process.env["PATH"] ?? ""}`,
          HOME: clones.path,
        }),
      })
      await expect(again.status({}, CALL)).rejects.toMatchObject({
        code: "REVIEW_NOT_LOGGED_IN",
        hint: expect.stringContaining(scene.tool),
      })
      await expect(again.create(CREATE, CALL)).rejects.toMatchObject({
        code: "REVIEW_NOT_LOGGED_IN",
      })
      expect(clones.calls(scene.tool).every((it) => !it.args.includes("POST"))).toBe(true)
    },
  )

  test("[REVIEW-4] a request that cannot be opened is refused before anything is sent", async () => {
    await using clones = await twoClones()
    const room = await clones.room()
    await expect(room.status({}, CALL)).rejects.toMatchObject({ code: "REVIEW_NO_REMOTE" })
    clones.remoteIs("git@github.com:team/shop.git")
    clones.script("gh", [
      { args: ["auth", "status", "--hostname", "github.com"] },
      { args: gh("POST", "graphql", true), out: ghData({ pullRequests: { nodes: [] } }) },
    ])
    await expect(room.create(CREATE, CALL)).rejects.toMatchObject({
      code: "REVIEW_BRANCH_UNUSABLE",
      message: expect.stringContaining("main is the branch to merge into"),
    })
    clones.iCommit("unpushed", { "a.txt": "x\n" })
    await expect(room.create(CREATE, CALL)).rejects.toMatchObject({
      hint: "Push it with `git push -u origin unpushed`. Then try again.",
    })
    await expect(room.create({ ...CREATE, bodyFile: "missing.md" }, CALL)).rejects.toMatchObject({
      code: "REVIEW_TEXT_UNREADABLE",
    })
    await expect(room.comments({}, CALL)).rejects.toMatchObject({ code: "REVIEW_NOT_FOUND" })
    await expect(room.post({ text: "x", path: "a.txt" }, CALL)).rejects.toMatchObject({
      code: "REVIEW_COMMENT_INVALID",
    })
    await expect(room.post({ text: "x", path: "../a.txt", line: 1 }, CALL)).rejects.toMatchObject({
      code: "REVIEW_COMMENT_INVALID",
    })
    git(clones.mine, "checkout", "-q", "--detach")
    await expect(room.create(CREATE, CALL)).rejects.toMatchObject({
      message: expect.stringContaining("detached"),
    })
    clones.remoteIs("git@example.test:team/shop.git")
    await expect(room.status({}, CALL)).rejects.toMatchObject({ code: "REVIEW_TOOL_UNKNOWN" })
    expect(clones.calls("gh").every((it) => !it.args.some((arg) => arg.startsWith("repos/")))).toBe(
      true,
    )
  })

  test("[REVIEW-5] [F5] secrets leave neither title, text, comment nor an error of the program", async () => {
    await using clones = await twoClones()
    await pushedTopic(clones, "git@github.com:team/shop.git")
    const letters = randomBytes(60)
      .toString("base64")
      .replaceAll(/[^A-Za-z0-9]/g, "")
    const secret = `ghp_${letters.slice(0, 36)}`
    const room = await clones.room()
    const auth = { args: ["auth", "status", "--hostname", "github.com"] }
    const none = { args: gh("POST", "graphql", true), out: ghData({ pullRequests: { nodes: [] } }) }
    clones.script("gh", [
      auth,
      none,
      { args: gh("POST", "repos/team/shop/pulls", true), out: json({ number: 1, html_url: "u" }) },
    ])
    writeFileSync(path.join(clones.mine, "notes.md"), `token ${secret}\n`)
    await room.create({ ...CREATE, title: `use ${secret}`, bodyFile: "notes.md" }, CALL)
    clones.script("gh", [
      auth,
      {
        args: gh("POST", "repos/team/shop/issues/1/comments", true),
        err: `gh: bad ${secret}\u001b[2J`,
        code: 1,
      },
    ])
    const failed = room.post({ text: `see ${secret}`, number: 1 }, CALL)
    await expect(failed).rejects.toMatchObject({ code: "REVIEW_FAILED" })
    const message = await failed.then(() => "", String)
    expect(message + json(clones.calls("gh"))).not.toContain(secret)
    expect(message).not.toContain("\u001b")
  })

  test("[REVIEW-6] an answer of another shape, or one that is no JSON, is an error with the place", async () => {
    await using clones = await twoClones()
    await pushedTopic(clones, "git@github.com:team/shop.git")
    const room = await clones.room()
    const auth = { args: ["auth", "status", "--hostname", "github.com"] }
    for (const [out, reason] of [
      ["<html>", "not JSON"],
      [json({ data: { repository: { pullRequests: {} } } }), "data.repository.pullRequests.nodes"],
      [json({ errors: [{ message: "rate limited" }] }), "rate limited"],
    ] as const) {
      clones.script("gh", [auth, { args: gh("POST", "graphql", true), out }])
      await expect(room.status({}, CALL)).rejects.toMatchObject({
        code: "REVIEW_FAILED",
        message: expect.stringContaining(reason),
      })
    }
  })
})

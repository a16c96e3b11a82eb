import { createHash } from "node:crypto"
import { chmod, symlink } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { AGENT, BY_AGENT, boardFixture, input, PERSON } from "#test/board-room"
import { commit, git } from "#test/git"

const CALL = { limit: 1_000 }

async function addTicket(
  fixture: Awaited<ReturnType<typeof boardFixture>>,
  title: string,
  more = {},
) {
  return fixture.room.create(input("ticket.new", { title, ...more }))
}

describe("tickets", () => {
  test("[BOARD-1] a new ticket is a file in the backlog", async () => {
    await using fixture = await boardFixture()
    const ticket = await addTicket(fixture, "Round quotes", {
      priority: "P1",
      accept: ["Totals agree"],
      body: "Why.",
    })
    expect(ticket).toMatchObject({ number: 1, lane: "backlog", isReady: true, wsjf: 8 })
    expect(ticket.id).toMatch(/^T-[0-9A-Z]{7}$/)
    expect(await fixture.room.detail({ id: "1" })).toMatchObject({ body: "Why.", events: [] })
    expect(await fixture.events()).toEqual(["board.changed"])
  })

  test("[BOARD-2] an edit leaves the rest of a hand-written file as it is", async () => {
    await using fixture = await boardFixture()
    const text = "\uFEFF---\n# by hand\ntitle:   'A'   # name\nx: {a:  1}\n---\nBody  \n"
    await fixture.file(".qm/board/tickets/a.md", text)
    const ticket = await fixture.room.edit(
      input("ticket.edit", { id: "1", priority: "P0" }),
      PERSON,
    )
    const after = await fixture.read(".qm/board/tickets/a.md")
    expect(after).toBe(text.replace("x: {a:  1}\n", `x: {a:  1}\nid: ${ticket.id}\npriority: P0\n`))
  })

  test("[BOARD-3] invalid files are reported, kept and do not affect others", async () => {
    await using fixture = await boardFixture()
    await addTicket(fixture, "Good")
    const [name = ""] = await fixture.files(".qm/board/tickets")
    const good = await fixture.read(`.qm/board/tickets/${name}`)
    await fixture.file(".qm/board/tickets/zz-copy.md", good)
    await fixture.file(".qm/board/tickets/bad.md", "---\ntitle: [\n---\n")
    await symlink("/etc/hosts", join(fixture.root, ".qm/board/tickets/link.md"))
    const board = await fixture.room.show(CALL)
    expect(board.tickets.map((it) => it.title)).toEqual(["Good"])
    expect(board.problems.map((it) => it.file.split("/").at(-1))).toEqual(
      expect.arrayContaining(["bad.md", "link.md", "zz-copy.md"]),
    )
    expect(await fixture.read(".qm/board/tickets/bad.md")).toBe("---\ntitle: [\n---\n")
  })

  test("[BOARD-3] two files with one id: the first by name is the ticket, the other is reported and kept", async () => {
    await using fixture = await boardFixture()
    const file = (title: string) => `---\nid: T-SAME\ntitle: ${title}\n---\n`
    await fixture.file(".qm/board/tickets/b.md", file("Second"))
    await fixture.file(".qm/board/tickets/a.md", file("First"))
    const board = await fixture.room.show(CALL)
    expect(board.tickets.map((it) => [it.id, it.title])).toEqual([["T-SAME", "First"]])
    expect(board.problems).toEqual([
      {
        file: ".qm/board/tickets/b.md",
        problem: "it has the id T-SAME of .qm/board/tickets/a.md",
      },
    ])
    await fixture.room.edit(input("ticket.edit", { id: "T-SAME", priority: "P0" }), PERSON)
    expect(await fixture.read(".qm/board/tickets/b.md")).toBe(file("Second"))
    expect(await fixture.read(".qm/board/tickets/a.md")).toContain("priority: P0")
  })

  test("[BOARD-4] a ticket is found by id, number or the start of its id", async () => {
    await using fixture = await boardFixture()
    const { id } = await addTicket(fixture, "A")
    for (const ref of [id, id.toLowerCase(), "1", "#1", id.slice(2, 6), id.slice(0, 5)])
      expect((await fixture.room.detail({ id: ref })).ticket.id).toBe(id)
    await fixture.room.detail({ id: "T-" })
    await addTicket(fixture, "B")
    await expect(fixture.room.detail({ id: "T-" })).rejects.toThrow(/matches 2 tickets/)
    await expect(fixture.room.detail({ id: "99" })).rejects.toThrow(/No ticket matches/)
  })

  test("[BOARD-4] two tickets with one number: the older keeps it", async () => {
    await using fixture = await boardFixture()
    const file = (id: string, created: string) =>
      `---\nid: ${id}\nnumber: 1\ntitle: ${id}\ncreated: ${created}\n---\n`
    await fixture.file(".qm/board/tickets/a.md", file("T-NEW", "2026-02-01T00:00:00.000Z"))
    await fixture.file(".qm/board/tickets/b.md", file("T-OLD", "2026-01-01T00:00:00.000Z"))
    const numbers = (await fixture.room.show(CALL)).tickets.map((it) => [it.id, it.number])
    expect(Object.fromEntries(numbers)).toEqual({ "T-OLD": 1, "T-NEW": 2 })
  })

  test("[BOARD-5] cycles are refused, and reported in files", async () => {
    await using fixture = await boardFixture()
    const [first, second] = [await addTicket(fixture, "A"), await addTicket(fixture, "B")]
    await addTicket(fixture, "C")
    await fixture.room.link(input("ticket.link", { id: "1", on: "2" }))
    await fixture.room.link(input("ticket.link", { id: "2", on: "3" }))
    const closing = fixture.room.link(input("ticket.link", { id: "3", on: "1" }))
    await expect(closing).rejects.toThrow(/creates a cycle: .* → .* → .* → /)
    await expect(closing, "the hint removes a dependency that exists").rejects.toMatchObject({
      hint: expect.stringContaining(`qm ticket link ${first.id} ${second.id} --remove`),
    })
    const own = fixture.room.link(input("ticket.link", { id: "1", on: "1" }))
    await expect(own).rejects.toMatchObject({
      code: "BOARD_CYCLE",
      hint: expect.stringContaining("cannot depend on itself"),
    })
    const removed = await fixture.room.link(
      input("ticket.link", { id: "1", on: "2", remove: true }),
    )
    expect(removed.dependencies).toEqual([])
    await fixture.file(".qm/board/tickets/x.md", "---\nid: T-X\ntitle: X\ndepends_on: [T-Y]\n---\n")
    await fixture.file(
      ".qm/board/tickets/y.md",
      "---\nid: T-Y\ntitle: Y\ndepends_on: [T-X, T-GONE]\n---\n",
    )
    const problems = (await fixture.room.show(CALL)).problems.map((it) => it.problem)
    expect(problems).toEqual([
      "its dependencies form a cycle: T-X → T-Y → T-X",
      "it depends on T-GONE, which is missing",
    ])
  })

  test("[BOARD-6] ready tickets come by WSJF; a blocked or dependent one cannot start", async () => {
    await using fixture = await boardFixture()
    await addTicket(fixture, "Large", { priority: "P0", complexity: 13 })
    await addTicket(fixture, "Small", { priority: "P1", complexity: 1 })
    await addTicket(fixture, "Later", { priority: "P0", dependsOn: ["1"] })
    const titles = async () => (await fixture.room.ready(CALL)).tickets.map((it) => it.title)
    expect(await titles()).toEqual(["Small", "Large"])
    await expect(fixture.room.move({ id: "3", lane: "working" }, PERSON)).rejects.toThrow(
      /depends on/,
    )
    await fixture.room.block({ id: "2", reason: "waits", clear: false })
    expect(await titles()).toEqual(["Large"])
    await expect(fixture.room.move({ id: "2", lane: "working" }, PERSON)).rejects.toThrow(/blocked/)
    await fixture.room.block({ id: "2", reason: "", clear: true })
    await fixture.room.move({ id: "1", lane: "conclusion" }, PERSON)
    expect(await titles()).toEqual(["Later", "Small"])
  })

  test("[BOARD-6] a ticket ages: it is due soon, then overdue, and rises", async () => {
    await using fixture = await boardFixture()
    await addTicket(fixture, "Old", { priority: "P3", slaDays: 4 })
    await addTicket(fixture, "New", { priority: "P2", slaDays: 0 })
    const days = async (count: number) => {
      await fixture.clock.advance(count * 86_400_000)
      return (await fixture.room.show(CALL)).tickets.map((it) => `${it.title} ${it.sla.state}`)
    }
    expect(await days(0)).toEqual(["New none", "Old met"])
    expect(await days(3)).toEqual(["Old soon", "New none"])
    expect(await days(2)).toEqual(["Old overdue", "New none"])
  })

  test("[BOARD-7] a lane at its limit takes no more tickets", async () => {
    await using fixture = await boardFixture()
    fixture.settings.workingLimit = 1
    await addTicket(fixture, "A")
    await addTicket(fixture, "B")
    await fixture.room.move({ id: "1", lane: "working" }, PERSON)
    await expect(fixture.room.move({ id: "2", lane: "working" }, PERSON)).rejects.toThrow(
      "working has 1 ticket, which is the limit",
    )
  })

  test("[BOARD-8] BOARD.md depends on tickets and events only", async () => {
    await using fixture = await boardFixture()
    const first = await addTicket(fixture, "Round [x](y)", { severity: "major" })
    const second = await addTicket(fixture, "Later", { dependsOn: ["1"] })
    await fixture.room.block({ id: "2", reason: "the *tariff*", clear: false })
    await fixture.room.move({ id: "1", lane: "working" }, PERSON)
    const text = await fixture.read(".qm/board/BOARD.md")
    expect(text).toBe(`# Board

Written by \`qm\`; edit the files in \`tickets/\` instead.

## Backlog (1)

- [#2 Later](tickets/${second.file.split("/").at(-1)}) \`${second.id}\`, P2, 1 point, blocked: the \\*tariff\\* ↘ blocked by 1

## Working (1)

- [#1 Round \\[x\\](y)](tickets/${first.file.split("/").at(-1)}) \`${first.id}\`, P2 major, 1 point

## Testing (0)

No tickets.

## Conclusion (0)

No tickets.
`)
    await fixture.clock.advance(400 * 86_400_000)
    await fixture.room.edit(input("ticket.edit", { id: "2", paths: ["a"] }), PERSON)
    expect(await fixture.read(".qm/board/BOARD.md")).toBe(text)
  })

  test("[BOARD-9] secrets are redacted in every text", async () => {
    await using fixture = await boardFixture()
    const letters = createHash("sha512").update("a").digest("base64").replaceAll(/[+/=]/g, "")
    const secret = `ghp_${letters.slice(0, 36)}`
    await addTicket(fixture, `Use ${secret}`, { body: secret, accept: [secret] })
    await fixture.room.block({ id: "1", reason: `needs ${secret}`, clear: false })
    await fixture.room.block({ id: "1", reason: "", clear: true })
    await fixture.room.move({ id: "1", lane: "working" }, PERSON)
    await fixture.room.move({ id: "1", lane: "testing" }, PERSON)
    await fixture.room.reject({ id: "1", feedback: `found ${secret}` }, PERSON)
    const command = [process.execPath, "-e", `console.log("${secret}")`]
    const { tail } = await fixture.room.capture(
      input("ticket.evidence", { id: "1", command }),
      PERSON,
    )
    const all = await Promise.all(
      [".qm/board/tickets", ".qm/board/log"].map(async (folder) =>
        Promise.all((await fixture.files(folder)).map((it) => fixture.read(`${folder}/${it}`))),
      ),
    )
    expect(
      `${JSON.stringify(all)}${tail}${await fixture.read(".qm/board/BOARD.md")}`,
    ).not.toContain(letters.slice(0, 12))
  })

  test("[BOARD-10] if the event cannot be stored, all files are as before", async () => {
    await using fixture = await boardFixture()
    await addTicket(fixture, "A")
    const before = await fixture.read(".qm/board/BOARD.md")
    const broken = fixture.other({ db: async () => Promise.reject(new Error("no store")) })
    const failing = fixture.other({
      db: async () => {
        const db = await fixture.deps.db()
        return { ...db, transaction: async () => Promise.reject(new Error("no store")) }
      },
    })
    for (const room of [broken, failing]) {
      await expect(room.move({ id: "1", lane: "working" }, PERSON)).rejects.toThrow("no store")
      await expect(room.create(input("ticket.new", { title: "B" }))).rejects.toThrow("no store")
    }
    expect(await fixture.read(".qm/board/BOARD.md")).toBe(before)
    expect(await fixture.files(".qm/board/tickets")).toHaveLength(1)
    expect(await fixture.files(".qm/board/log")).toEqual([])
    expect((await fixture.room.detail({ id: "1" })).ticket.lane).toBe("backlog")
  })

  test("[BOARD-10] parallel writers lose nothing", async () => {
    await using fixture = await boardFixture()
    const rooms = [fixture.room, fixture.other(), fixture.other()]
    const roomAt = (at: number) => rooms[at % rooms.length] ?? fixture.room
    const titles = Array.from({ length: 12 }, (_, at) => `Ticket ${at}`)
    await Promise.all(titles.map((title, at) => roomAt(at).create(input("ticket.new", { title }))))
    const { tickets } = await fixture.room.show(CALL)
    expect(tickets.map((it) => it.title).toSorted()).toEqual(titles.toSorted())
    expect(new Set(tickets.map((it) => it.number)).size).toBe(12)
  })
})

describe("evidence", () => {
  const PASS = [process.execPath, "-e", "console.log('passed')"]
  const FAIL = [process.execPath, "-e", "process.exit(3)"]

  async function testedFixture(options = {}) {
    const fixture = await boardFixture(options)
    await addTicket(fixture, "A", { accept: ["It works"] })
    await fixture.room.move({ id: "1", lane: "working" }, BY_AGENT)
    await fixture.file("src/a.ts", "export const a = 2\n")
    await fixture.room.edit(
      input("ticket.edit", { id: "1", check: [1], lane: "testing" }),
      BY_AGENT,
    )
    return fixture
  }
  const capture = (
    fixture: Awaited<ReturnType<typeof boardFixture>>,
    command: readonly string[],
    from: typeof BY_AGENT | typeof PERSON = PERSON,
  ) => fixture.room.capture(input("ticket.evidence", { id: "1", command: [...command] }), from)
  const approve = (fixture: Awaited<ReturnType<typeof boardFixture>>) =>
    fixture.room.approve({ id: "1" }, PERSON)

  test("[BOARD-18] passing evidence of this tree approves, also after a commit", async () => {
    await using fixture = await testedFixture()
    await expect(approve(fixture)).rejects.toThrow("it has no evidence")
    const { evidence, isPassed } = await capture(fixture, PASS)
    expect({ isPassed, exitCode: evidence.exitCode }).toEqual({ isPassed: true, exitCode: 0 })
    commit(fixture.root, "work")
    expect(await approve(fixture)).toMatchObject({ lane: "conclusion" })
  })

  test("[BOARD-18] evidence of another tree is refused", async () => {
    await using fixture = await testedFixture()
    await capture(fixture, PASS)
    await fixture.file("src/a.ts", "export const a = 3\n")
    await expect(approve(fixture)).rejects.toThrow("its evidence is of another tree")
    await fixture.file("src/a.ts", "export const a = 2\n")
    await fixture.file("src/new.ts", "export {}\n")
    await expect(approve(fixture)).rejects.toThrow("its evidence is of another tree")
  })

  test("[BOARD-18] a failed command is refused, a later success of it counts", async () => {
    await using fixture = await testedFixture()
    await capture(fixture, PASS)
    const flag = join(fixture.root, ".git", "flag")
    const flaky = [
      process.execPath,
      "-e",
      `process.exit(require("fs").existsSync("${flag}") ? 0 : 3)`,
    ]
    expect(await capture(fixture, FAIL)).toMatchObject({
      isPassed: false,
      evidence: { exitCode: 3 },
    })
    await expect(approve(fixture)).rejects.toThrow("the command failed")
    await using other = await testedFixture()
    await capture(
      other,
      flaky.map((it) => it.replace(fixture.root, other.root)),
    )
    await expect(approve(other)).rejects.toThrow("the command failed")
    await other.file(".git/flag", "")
    await capture(
      other,
      flaky.map((it) => it.replace(fixture.root, other.root)),
    )
    expect(await approve(other)).toMatchObject({ lane: "conclusion" })
  })

  test("[BOARD-18] a command that changes the tree proves nothing", async () => {
    await using fixture = await testedFixture()
    const writes = [process.execPath, "-e", "require('fs').writeFileSync('src/b.ts', 'x')"]
    expect(await capture(fixture, writes)).toMatchObject({ isPassed: false })
    await expect(approve(fixture)).rejects.toThrow("of another tree")
  })

  test("[BOARD-18] an edited log or output is refused", async () => {
    await using fixture = await testedFixture()
    await capture(fixture, FAIL)
    const logs = await fixture.files(".qm/board/log")
    const human = `.qm/board/log/${logs.find((it) => it.startsWith("human"))}`
    const text = await fixture.read(human)
    await fixture.file(human, text.replace('"exitCode":3', '"exitCode":0'))
    await expect(approve(fixture)).rejects.toThrow("edited, or captured in another clone")
    await fixture.file(human, text)
    await using other = await testedFixture()
    const { evidence } = await capture(other, PASS)
    const output = `.git/qm/board/evidence/${evidence.id}.log`
    await chmod(join(other.root, output), 0o600)
    await other.file(output, "nothing failed\n")
    await expect(approve(other)).rejects.toThrow("its output was edited")
  })

  test("[BOARD-18] evidence of another clone is refused", async () => {
    await using fixture = await testedFixture()
    await capture(fixture, PASS)
    const room = fixture.other({ stateDirectory: join(fixture.root, ".git", "elsewhere") })
    await expect(room.approve({ id: "1" }, PERSON)).rejects.toThrow("another clone")
  })

  test("[BOARD-17] open criteria and a caller that is an agent are refused", async () => {
    await using fixture = await testedFixture()
    await capture(fixture, PASS)
    await fixture.room.edit(input("ticket.edit", { id: "1", uncheck: [1] }), PERSON)
    await expect(approve(fixture)).rejects.toThrow("1 open acceptance criterion: It works")
    await fixture.room.edit(input("ticket.edit", { id: "1", check: [1] }), PERSON)
    await expect(fixture.room.approve({ id: "1" }, BY_AGENT)).rejects.toThrow(
      "only a user approves",
    )
    await expect(fixture.room.move({ id: "1", lane: "conclusion" }, PERSON)).rejects.toThrow(
      "needs an approval with evidence",
    )
  })

  test("[BOARD-19] a change of documents needs no evidence; the diff decides", async () => {
    await using fixture = await boardFixture()
    await addTicket(fixture, "Docs", { type: "docs" })
    await fixture.room.move({ id: "1", lane: "working" }, BY_AGENT)
    await fixture.room.move({ id: "1", lane: "testing" }, BY_AGENT)
    await expect(approve(fixture)).rejects.toThrow("no evidence")
    commit(fixture.root, "docs", { "README.md": "# B\n", "docs/a.md": "x\n" })
    await fixture.file("AGENTS.md", "Do this\n")
    await expect(approve(fixture)).rejects.toThrow("no evidence")
    git(fixture.root, "clean", "-fdq", "AGENTS.md")
    await fixture.file("src/a.ts", "changed\n")
    await expect(approve(fixture)).rejects.toThrow("no evidence")
    git(fixture.root, "checkout", "-q", "src/a.ts")
    expect(await approve(fixture)).toMatchObject({ lane: "conclusion" })
  })

  test("[BOARD-20] an agent runs only configured checks", async () => {
    await using fixture = await testedFixture()
    await expect(capture(fixture, PASS, BY_AGENT)).rejects.toThrow("is not a configured check")
    fixture.settings.checks = ` ls  -a ; ${process.execPath} --version`
    expect(await capture(fixture, [process.execPath, "--version"], BY_AGENT)).toMatchObject({
      isPassed: true,
    })
    expect((await fixture.room.log(CALL)).events[0]).toMatchObject({
      kind: "evidence",
      actor: "auto",
      by: { agent: AGENT.client },
    })
    await expect(capture(fixture, ["no-such-program"])).rejects.toThrow("could not be started")
  })

  test("[BOARD-18] the board works without git and with a detached head", async () => {
    await using plain = await testedFixture({ git: false })
    await capture(plain, PASS)
    expect(await approve(plain)).toMatchObject({ lane: "conclusion" })
    await using detached = await testedFixture()
    commit(detached.root, "x")
    git(detached.root, "checkout", "-q", "--detach")
    await capture(detached, PASS)
    expect(await approve(detached)).toMatchObject({ lane: "conclusion" })
  })
})

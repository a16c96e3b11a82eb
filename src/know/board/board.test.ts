import { createHash } from "node:crypto"
import { chmod, symlink } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { AGENT, BY_AGENT, boardWorld, input, PERSON } from "#test/board-room"
import { commit, git } from "#test/git"

const CALL = { limit: 1_000 }

async function addTicket(world: Awaited<ReturnType<typeof boardWorld>>, title: string, more = {}) {
  return world.room.create(input("ticket.new", { title, ...more }))
}

describe("tickets", () => {
  test("[BOARD-1] a new ticket is a file in the backlog", async () => {
    await using world = await boardWorld()
    const ticket = await addTicket(world, "Round quotes", {
      priority: "P1",
      accept: ["Totals agree"],
      body: "Why.",
    })
    expect(ticket).toMatchObject({ number: 1, lane: "backlog", isReady: true, wsjf: 8 })
    expect(ticket.id).toMatch(/^T-[0-9A-Z]{7}$/)
    expect(world.room.detail({ id: "1" })).toMatchObject({ body: "Why.", events: [] })
    expect(await world.events()).toEqual(["board.changed"])
  })

  test("[BOARD-2] an edit leaves the rest of a hand-written file as it is", async () => {
    await using world = await boardWorld()
    const text = "\uFEFF---\n# by hand\ntitle:   'A'   # name\nx: {a:  1}\n---\nBody  \n"
    await world.file(".qm/board/tickets/a.md", text)
    const ticket = await world.room.edit(input("ticket.edit", { id: "1", priority: "P0" }), PERSON)
    const after = await world.read(".qm/board/tickets/a.md")
    expect(after).toBe(text.replace("x: {a:  1}\n", `x: {a:  1}\nid: ${ticket.id}\npriority: P0\n`))
  })

  test("[BOARD-3] invalid files are reported, kept and do not affect others", async () => {
    await using world = await boardWorld()
    await addTicket(world, "Good")
    const [name = ""] = await world.files(".qm/board/tickets")
    const good = await world.read(`.qm/board/tickets/${name}`)
    await world.file(".qm/board/tickets/zz-copy.md", good)
    await world.file(".qm/board/tickets/bad.md", "---\ntitle: [\n---\n")
    await symlink("/etc/hosts", join(world.root, ".qm/board/tickets/link.md"))
    const board = world.room.show(CALL)
    expect(board.tickets.map((it) => it.title)).toEqual(["Good"])
    expect(board.problems.map((it) => it.file.split("/").at(-1))).toEqual(
      expect.arrayContaining(["bad.md", "link.md", "zz-copy.md"]),
    )
    expect(await world.read(".qm/board/tickets/bad.md")).toBe("---\ntitle: [\n---\n")
  })

  test("[BOARD-4] a ticket is found by id, number or the start of its id", async () => {
    await using world = await boardWorld()
    const { id } = await addTicket(world, "A")
    for (const ref of [id, id.toLowerCase(), "1", "#1", id.slice(2, 6), id.slice(0, 5)])
      expect(world.room.detail({ id: ref }).ticket.id).toBe(id)
    expect(() => world.room.detail({ id: "T-" })).not.toThrow()
    await addTicket(world, "B")
    expect(() => world.room.detail({ id: "T-" })).toThrow(/matches 2 tickets/)
    expect(() => world.room.detail({ id: "99" })).toThrow(/No ticket matches/)
  })

  test("[BOARD-4] two tickets with one number: the older keeps it", async () => {
    await using world = await boardWorld()
    const file = (id: string, created: string) =>
      `---\nid: ${id}\nnumber: 1\ntitle: ${id}\ncreated: ${created}\n---\n`
    await world.file(".qm/board/tickets/a.md", file("T-NEW", "2026-02-01T00:00:00.000Z"))
    await world.file(".qm/board/tickets/b.md", file("T-OLD", "2026-01-01T00:00:00.000Z"))
    const numbers = world.room.show(CALL).tickets.map((it) => [it.id, it.number])
    expect(Object.fromEntries(numbers)).toEqual({ "T-OLD": 1, "T-NEW": 2 })
  })

  test("[BOARD-5] cycles are refused, and reported in files", async () => {
    await using world = await boardWorld()
    for (const title of ["A", "B", "C"]) await addTicket(world, title)
    await world.room.link(input("ticket.link", { id: "1", on: "2" }))
    await world.room.link(input("ticket.link", { id: "2", on: "3" }))
    const closing = world.room.link(input("ticket.link", { id: "3", on: "1" }))
    await expect(closing).rejects.toThrow(/closes a cycle: .* → .* → .* → /)
    await expect(world.room.link(input("ticket.link", { id: "1", on: "1" }))).rejects.toThrow(
      /cycle/,
    )
    const removed = await world.room.link(input("ticket.link", { id: "1", on: "2", remove: true }))
    expect(removed.dependencies).toEqual([])
    await world.file(".qm/board/tickets/x.md", "---\nid: T-X\ntitle: X\ndepends_on: [T-Y]\n---\n")
    await world.file(
      ".qm/board/tickets/y.md",
      "---\nid: T-Y\ntitle: Y\ndepends_on: [T-X, T-GONE]\n---\n",
    )
    const problems = world.room.show(CALL).problems.map((it) => it.problem)
    expect(problems).toEqual([
      "its dependencies are a cycle: T-X → T-Y → T-X",
      "it depends on T-GONE, which is missing",
    ])
  })

  test("[BOARD-6] ready tickets come by WSJF; a blocked or dependent one cannot start", async () => {
    await using world = await boardWorld()
    await addTicket(world, "Large", { priority: "P0", complexity: 13 })
    await addTicket(world, "Small", { priority: "P1", complexity: 1 })
    await addTicket(world, "Later", { priority: "P0", dependsOn: ["1"] })
    const titles = () => world.room.ready(CALL).tickets.map((it) => it.title)
    expect(titles()).toEqual(["Small", "Large"])
    await expect(world.room.move({ id: "3", lane: "working" }, PERSON)).rejects.toThrow(
      /depends on/,
    )
    await world.room.block({ id: "2", reason: "waits", clear: false })
    expect(titles()).toEqual(["Large"])
    await expect(world.room.move({ id: "2", lane: "working" }, PERSON)).rejects.toThrow(/blocked/)
    await world.room.block({ id: "2", reason: "", clear: true })
    await world.room.move({ id: "1", lane: "conclusion" }, PERSON)
    expect(titles()).toEqual(["Later", "Small"])
  })

  test("[BOARD-6] a ticket ages: it is due soon, then overdue, and rises", async () => {
    await using world = await boardWorld()
    await addTicket(world, "Old", { priority: "P3", slaDays: 4 })
    await addTicket(world, "New", { priority: "P2", slaDays: 0 })
    const days = async (count: number) => {
      await world.clock.advance(count * 86_400_000)
      return world.room.show(CALL).tickets.map((it) => `${it.title} ${it.sla.state}`)
    }
    expect(await days(0)).toEqual(["New none", "Old met"])
    expect(await days(3)).toEqual(["Old soon", "New none"])
    expect(await days(2)).toEqual(["Old overdue", "New none"])
  })

  test("[BOARD-7] a lane at its limit takes no more tickets", async () => {
    await using world = await boardWorld()
    world.settings.workingLimit = 1
    await addTicket(world, "A")
    await addTicket(world, "B")
    await world.room.move({ id: "1", lane: "working" }, PERSON)
    await expect(world.room.move({ id: "2", lane: "working" }, PERSON)).rejects.toThrow(
      "working has 1 tickets, the limit",
    )
  })

  test("[BOARD-8] BOARD.md depends on tickets and events only", async () => {
    await using world = await boardWorld()
    const first = await addTicket(world, "Round [x](y)", { severity: "major" })
    const second = await addTicket(world, "Later", { dependsOn: ["1"] })
    await world.room.block({ id: "2", reason: "the *tariff*", clear: false })
    await world.room.move({ id: "1", lane: "working" }, PERSON)
    const text = await world.read(".qm/board/BOARD.md")
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
    await world.clock.advance(400 * 86_400_000)
    await world.room.edit(input("ticket.edit", { id: "2", paths: ["a"] }), PERSON)
    expect(await world.read(".qm/board/BOARD.md")).toBe(text)
  })

  test("[BOARD-9] secrets are redacted in every text", async () => {
    await using world = await boardWorld()
    const letters = createHash("sha512").update("a").digest("base64").replaceAll(/[+/=]/g, "")
    const secret = `ghp_${letters.slice(0, 36)}`
    await addTicket(world, `Use ${secret}`, { body: secret, accept: [secret] })
    await world.room.block({ id: "1", reason: `needs ${secret}`, clear: false })
    await world.room.block({ id: "1", reason: "", clear: true })
    await world.room.move({ id: "1", lane: "working" }, PERSON)
    await world.room.move({ id: "1", lane: "testing" }, PERSON)
    await world.room.reject({ id: "1", feedback: `found ${secret}` }, PERSON)
    const command = [process.execPath, "-e", `console.log("${secret}")`]
    const { tail } = await world.room.capture(
      input("ticket.evidence", { id: "1", command }),
      PERSON,
    )
    const all = await Promise.all(
      [".qm/board/tickets", ".qm/board/log"].map(async (folder) =>
        Promise.all((await world.files(folder)).map((it) => world.read(`${folder}/${it}`))),
      ),
    )
    expect(`${JSON.stringify(all)}${tail}${await world.read(".qm/board/BOARD.md")}`).not.toContain(
      letters.slice(0, 12),
    )
  })

  test("[BOARD-10] if the event cannot be stored, all files are as before", async () => {
    await using world = await boardWorld()
    await addTicket(world, "A")
    const before = await world.read(".qm/board/BOARD.md")
    const broken = world.other({ db: async () => Promise.reject(new Error("no store")) })
    const failing = world.other({
      db: async () => {
        const db = await world.deps.db()
        return { ...db, transaction: async () => Promise.reject(new Error("no store")) }
      },
    })
    for (const room of [broken, failing]) {
      await expect(room.move({ id: "1", lane: "working" }, PERSON)).rejects.toThrow("no store")
      await expect(room.create(input("ticket.new", { title: "B" }))).rejects.toThrow("no store")
    }
    expect(await world.read(".qm/board/BOARD.md")).toBe(before)
    expect(await world.files(".qm/board/tickets")).toHaveLength(1)
    expect(await world.files(".qm/board/log")).toEqual([])
    expect(world.room.detail({ id: "1" }).ticket.lane).toBe("backlog")
  })

  test("[BOARD-10] parallel writers lose nothing", async () => {
    await using world = await boardWorld()
    const rooms = [world.room, world.other(), world.other()]
    const roomAt = (at: number) => rooms[at % rooms.length] ?? world.room
    const titles = Array.from({ length: 12 }, (_, at) => `Ticket ${at}`)
    await Promise.all(titles.map((title, at) => roomAt(at).create(input("ticket.new", { title }))))
    const { tickets } = world.room.show(CALL)
    expect(tickets.map((it) => it.title).toSorted()).toEqual(titles.toSorted())
    expect(new Set(tickets.map((it) => it.number)).size).toBe(12)
  })
})

describe("evidence", () => {
  const PASS = [process.execPath, "-e", "console.log('passed')"]
  const FAIL = [process.execPath, "-e", "process.exit(3)"]

  async function testedWorld(options = {}) {
    const world = await boardWorld(options)
    await addTicket(world, "A", { accept: ["It works"] })
    await world.room.move({ id: "1", lane: "working" }, BY_AGENT)
    await world.file("src/a.ts", "export const a = 2\n")
    await world.room.edit(input("ticket.edit", { id: "1", check: [1], lane: "testing" }), BY_AGENT)
    return world
  }
  const capture = (
    world: Awaited<ReturnType<typeof boardWorld>>,
    command: readonly string[],
    from: typeof BY_AGENT | typeof PERSON = PERSON,
  ) => world.room.capture(input("ticket.evidence", { id: "1", command: [...command] }), from)
  const approve = (world: Awaited<ReturnType<typeof boardWorld>>) =>
    world.room.approve({ id: "1" }, PERSON)

  test("[BOARD-18] passing evidence of this tree approves, also after a commit", async () => {
    await using world = await testedWorld()
    await expect(approve(world)).rejects.toThrow("it has no evidence")
    const { evidence, isPassed } = await capture(world, PASS)
    expect({ isPassed, exitCode: evidence.exitCode }).toEqual({ isPassed: true, exitCode: 0 })
    commit(world.root, "work")
    expect(await approve(world)).toMatchObject({ lane: "conclusion" })
  })

  test("[BOARD-18] evidence of another tree is refused", async () => {
    await using world = await testedWorld()
    await capture(world, PASS)
    await world.file("src/a.ts", "export const a = 3\n")
    await expect(approve(world)).rejects.toThrow("its evidence is of another tree")
    await world.file("src/a.ts", "export const a = 2\n")
    await world.file("src/new.ts", "export {}\n")
    await expect(approve(world)).rejects.toThrow("its evidence is of another tree")
  })

  test("[BOARD-18] a failed command is refused, a later success of it counts", async () => {
    await using world = await testedWorld()
    await capture(world, PASS)
    const flag = join(world.root, ".git", "flag")
    const flaky = [
      process.execPath,
      "-e",
      `process.exit(require("fs").existsSync("${flag}") ? 0 : 3)`,
    ]
    expect(await capture(world, FAIL)).toMatchObject({ isPassed: false, evidence: { exitCode: 3 } })
    await expect(approve(world)).rejects.toThrow("the command failed")
    await using other = await testedWorld()
    await capture(
      other,
      flaky.map((it) => it.replace(world.root, other.root)),
    )
    await expect(approve(other)).rejects.toThrow("the command failed")
    await other.file(".git/flag", "")
    await capture(
      other,
      flaky.map((it) => it.replace(world.root, other.root)),
    )
    expect(await approve(other)).toMatchObject({ lane: "conclusion" })
  })

  test("[BOARD-18] a command that changes the tree proves nothing", async () => {
    await using world = await testedWorld()
    const writes = [process.execPath, "-e", "require('fs').writeFileSync('src/b.ts', 'x')"]
    expect(await capture(world, writes)).toMatchObject({ isPassed: false })
    await expect(approve(world)).rejects.toThrow("of another tree")
  })

  test("[BOARD-18] an edited log or output is refused", async () => {
    await using world = await testedWorld()
    await capture(world, FAIL)
    const logs = await world.files(".qm/board/log")
    const human = `.qm/board/log/${logs.find((it) => it.startsWith("human"))}`
    const text = await world.read(human)
    await world.file(human, text.replace('"exitCode":3', '"exitCode":0'))
    await expect(approve(world)).rejects.toThrow("edited, or captured in another clone")
    await world.file(human, text)
    await using other = await testedWorld()
    const { evidence } = await capture(other, PASS)
    const output = `.git/qm/board/evidence/${evidence.id}.log`
    await chmod(join(other.root, output), 0o600)
    await other.file(output, "nothing failed\n")
    await expect(approve(other)).rejects.toThrow("its output was edited")
  })

  test("[BOARD-18] evidence of another clone is refused", async () => {
    await using world = await testedWorld()
    await capture(world, PASS)
    const room = world.other({ stateDirectory: join(world.root, ".git", "elsewhere") })
    await expect(room.approve({ id: "1" }, PERSON)).rejects.toThrow("another clone")
  })

  test("[BOARD-17] open criteria and a caller that is an agent are refused", async () => {
    await using world = await testedWorld()
    await capture(world, PASS)
    await world.room.edit(input("ticket.edit", { id: "1", uncheck: [1] }), PERSON)
    await expect(approve(world)).rejects.toThrow("open acceptance criteria: It works")
    await world.room.edit(input("ticket.edit", { id: "1", check: [1] }), PERSON)
    await expect(world.room.approve({ id: "1" }, BY_AGENT)).rejects.toThrow("only a user approves")
    await expect(world.room.move({ id: "1", lane: "conclusion" }, PERSON)).rejects.toThrow(
      "needs an approval with evidence",
    )
  })

  test("[BOARD-19] a change of documents needs no evidence; the diff decides", async () => {
    await using world = await boardWorld()
    await addTicket(world, "Docs", { type: "docs" })
    await world.room.move({ id: "1", lane: "working" }, BY_AGENT)
    await world.room.move({ id: "1", lane: "testing" }, BY_AGENT)
    await expect(approve(world)).rejects.toThrow("no evidence")
    commit(world.root, "docs", { "README.md": "# B\n", "docs/a.md": "x\n" })
    await world.file("AGENTS.md", "Do this\n")
    await expect(approve(world)).rejects.toThrow("no evidence")
    git(world.root, "clean", "-fdq", "AGENTS.md")
    await world.file("src/a.ts", "changed\n")
    await expect(approve(world)).rejects.toThrow("no evidence")
    git(world.root, "checkout", "-q", "src/a.ts")
    expect(await approve(world)).toMatchObject({ lane: "conclusion" })
  })

  test("[BOARD-20] an agent runs only configured checks", async () => {
    await using world = await testedWorld()
    await expect(capture(world, PASS, BY_AGENT)).rejects.toThrow("is not a configured check")
    world.settings.checks = ` ls  -a ; ${process.execPath} --version`
    expect(await capture(world, [process.execPath, "--version"], BY_AGENT)).toMatchObject({
      isPassed: true,
    })
    expect(world.room.log(CALL).events[0]).toMatchObject({
      kind: "evidence",
      actor: "auto",
      by: { agent: AGENT.client },
    })
    await expect(capture(world, ["no-such-program"])).rejects.toThrow("could not be started")
  })

  test("[BOARD-18] the board works without git and with a detached head", async () => {
    await using plain = await testedWorld({ git: false })
    await capture(plain, PASS)
    expect(await approve(plain)).toMatchObject({ lane: "conclusion" })
    await using detached = await testedWorld()
    commit(detached.root, "x")
    git(detached.root, "checkout", "-q", "--detach")
    await capture(detached, PASS)
    expect(await approve(detached)).toMatchObject({ lane: "conclusion" })
  })
})

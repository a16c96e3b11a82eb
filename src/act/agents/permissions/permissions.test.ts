import { mkdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { type Log, leadsTo, silentLog } from "#ground/base"
import type { ListedRule } from "#ground/contract"
import { operationCaller } from "#test/operations"
import { tempDirectory } from "#test/temp"
import { permissionsHandlers } from "./handlers.ts"
import { createPermissions } from "./permissions.ts"

const NO_SETTINGS = { allow: "", ask: "", deny: "" }

async function place(settings: Partial<typeof NO_SETTINGS> = {}, log: Log = silentLog) {
  const temp = await tempDirectory()
  const [root, home] = [join(temp.path, "r"), join(temp.path, "home")]
  for (const folder of [root, home, join(root, ".qm")]) await mkdir(folder)
  const file = join(root, ".qm/permissions.json")
  const deps = { file, root, home, resolve: leadsTo, log }
  const given = { ...NO_SETTINGS, ...settings }
  return {
    root,
    home,
    file,
    open: () => createPermissions({ ...deps, settings: () => given }),
    write: (rules: readonly object[]) => writeFile(file, JSON.stringify({ version: 1, rules })),
    bash: (command: string) =>
      ({ tool: "Bash", kind: "command", input: JSON.stringify({ command }), cwd: root }) as const,
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  }
}

describe("rules of the project file", () => {
  test("[AGENTS-41] an allow rule in the project file applies only after approval", async () => {
    await using it = await place()
    await it.write([
      { decision: "allow", tool: "Bash" },
      { decision: "deny", command: "rm *" },
      { decision: "ask", command: "git *" },
    ])
    const rules = it.open()
    await rules.reload()
    expect(rules.verdict(it.bash("ls"))).toBeUndefined()
    expect(rules.verdict(it.bash("rm x"))?.decision).toBe("deny")
    expect(rules.verdict(it.bash("git log"))?.decision).toBe("ask")
    const before = await rules.list()
    expect(before.isTrusted).toBe(false)
    expect(before.rules.map((rule) => [rule.decision, rule.isInForce])).toEqual([
      ["deny", true],
      ["ask", true],
      ["allow", false],
    ])

    expect((await rules.trust()).isTrusted).toBe(true)
    expect(rules.verdict(it.bash("ls"))?.decision).toBe("allow")
    const other = it.open()
    await other.reload()
    expect(other.verdict(it.bash("ls"))?.decision).toBe("allow")
  })

  test("[AGENTS-41] a change of one character by another program revokes the approval", async () => {
    await using it = await place()
    const rules = it.open()
    await rules.add({ decision: "allow", tool: "Bash", command: "ls" })
    await writeFile(it.file, `${await readFile(it.file, "utf8")} `)
    await rules.reload()
    expect(rules.verdict(it.bash("ls"))).toBeUndefined()
    expect((await rules.list()).isTrusted).toBe(false)
    const more = rules.add({ decision: "allow", tool: "Edit" })
    await expect(more).rejects.toMatchObject({ code: "AGENTS_RULES_NOT_TRUSTED" })
    // Adding a deny rule needs no approval.
    const after = await rules.add({ decision: "deny", tool: "Edit" })
    expect(after.isTrusted).toBe(false)
    const [allowing] = after.rules.filter((rule) => rule.decision === "allow")
    expect((await rules.remove(allowing?.id ?? "")).isTrusted).toBe(true)
  })

  test("[AGENTS-41] changes made through Quartermaster keep the approval and apply immediately", async () => {
    await using it = await place()
    const rules = it.open()
    const added = await rules.add({ decision: "allow", tool: "Bash", command: "ls" })
    expect(added).toMatchObject({
      isTrusted: true,
      rules: [{ origin: "project", isInForce: true }],
    })
    expect(rules.verdict(it.bash("ls"))).toEqual({ decision: "allow", rule: "allow Bash(ls)" })
    await rules.add({ decision: "allow", tool: "Bash", command: "pwd" })
    await rules.add({ decision: "allow", tool: "Bash", command: "pwd" })
    const { rules: two } = await rules.list()
    expect(two.map((rule) => rule.command)).toEqual(["ls", "pwd"])
    await rules.remove(two[0]?.id ?? "")
    expect(rules.verdict(it.bash("ls"))).toBeUndefined()
    expect(rules.verdict(it.bash("pwd"))?.decision).toBe("allow")
    expect(((await stat(it.file)).mode & 0o777).toString(8)).toBe("644")
  })

  test("[AGENTS-41] an approval is refused when the file differs from the digest that was read", async () => {
    await using it = await place()
    await it.write([{ decision: "allow", tool: "Bash", command: "ls" }])
    const rules = it.open()
    const { digest } = await rules.list()
    await it.write([{ decision: "allow", tool: "Bash" }])
    const code = "AGENTS_RULES_CHANGED"
    await expect(rules.trust(digest ?? "")).rejects.toMatchObject({ code })
    expect((await rules.list()).isTrusted).toBe(false)
    const again = await rules.list()
    expect((await rules.trust(again.digest ?? "")).isTrusted).toBe(true)
    await rm(it.file)
    expect((await rules.list()).digest).toBeNull()
    await expect(rules.trust(again.digest ?? "")).rejects.toMatchObject({ code })
  })

  test("[AGENTS-41] changes by another program apply while a run is active, without a restart", async () => {
    await using it = await place()
    const rules = it.open()
    await rules.add({ decision: "allow", tool: "Bash", command: "ls" })
    const decision = () => rules.verdict(it.bash("ls"))?.decision
    expect(decision()).toBe("allow")
    await it.write([{ decision: "deny", command: "ls" }])
    await expect.poll(decision).toBe("deny")
    await it.write([{ decision: "allow", command: "ls" }])
    await expect.poll(decision).toBeUndefined()
    // Approved by another process.
    await it.open().trust()
    await expect.poll(decision).toBe("allow")
    await writeFile(it.file, "{")
    await expect.poll(decision).toBe("ask")
  })

  test("[AGENTS-41] approvals are stored in the home directory, per root, readable only by the user", async () => {
    await using it = await place()
    await it.open().add({ decision: "allow", tool: "Bash" })
    const elsewhere = createPermissions({
      file: it.file,
      root: it.root,
      home: join(it.home, "other"),
      settings: () => NO_SETTINGS,
      resolve: leadsTo,
      log: silentLog,
    })
    expect((await elsewhere.list()).isTrusted).toBe(false)
    const folder = join(it.home, "trusted-rules")
    expect(((await stat(folder)).mode & 0o777).toString(8)).toBe("700")
  })

  test.each([
    ["not JSON", "{", "AGENTS_RULES_INVALID"],
    ["an unknown version", '{"version":2,"rules":[]}', "AGENTS_RULES_INVALID"],
    ["an unknown key", '{"version":1,"rules":[],"more":1}', "AGENTS_RULES_INVALID"],
    [
      "an unknown field",
      '{"version":1,"rules":[{"decision":"deny","x":1}]}',
      "AGENTS_RULES_INVALID",
    ],
    ["an empty rule", '{"version":1,"rules":[{"decision":"deny"}]}', "AGENTS_RULES_INVALID"],
    ["a wild glob", rule({ path: "+(a+(b))".repeat(9) }), "AGENTS_RULES_INVALID"],
    ["a star in a word", rule({ command: "git*" }), "AGENTS_RULES_INVALID"],
    ["too many", many(501), "AGENTS_RULES_INVALID"],
    ["no UTF-8", Buffer.from([0xff, 0xfe]), "AGENTS_RULES_UNREADABLE"],
    ["too large", " ".repeat(300_000), "AGENTS_RULES_UNREADABLE"],
  ])(
    "[AGENTS-41] a file with %s is reported and not overwritten; a run asks before every change",
    async (_, text, code) => {
      const warned: string[] = []
      const log = { ...silentLog, warn: (message: string) => void warned.push(message) }
      await using it = await place({ deny: "Bash(rm *)", allow: "Bash" }, log)
      await writeFile(it.file, text)
      const rules = it.open()
      await expect(rules.list()).rejects.toMatchObject({ code })
      await expect(rules.add({ decision: "deny", tool: "x" })).rejects.toMatchObject({ code })
      await rules.reload()
      await rules.reload()
      expect(warned).toEqual(["could not read the permission rules"])
      expect(rules.verdict(it.bash("rm x"))?.decision).toBe("deny")
      expect(rules.verdict(it.bash("ls"))?.decision).toBe("ask")
      expect(rules.restricting()).toBe("unknown")
      const reading = { tool: "Read", kind: "read", input: "{}", cwd: it.root } as const
      expect(rules.verdict(reading)).toBeUndefined()
      expect(await readFile(it.file)).toEqual(Buffer.from(text))
    },
  )

  test("[AGENTS-41] a linked file or folder is neither read nor written", async () => {
    await using it = await place()
    const outside = join(it.home, "elsewhere")
    await mkdir(outside)
    await symlink(join(outside, "rules.json"), it.file)
    await writeFile(join(outside, "rules.json"), '{"version":1,"rules":[]}')
    const code = "AGENTS_RULES_UNREADABLE"
    await expect(it.open().list()).rejects.toMatchObject({ code })

    const file = join(it.root, "linked/permissions.json")
    await symlink(outside, join(it.root, "linked"))
    const { root, home } = it
    const deps = { file, root, home, settings: () => NO_SETTINGS, resolve: leadsTo, log: silentLog }
    const add = createPermissions(deps).add({ decision: "deny", tool: "x" })
    await expect(add).rejects.toMatchObject({ code })
  })

  test("[AGENTS-41] before the rules are loaded, every change needs approval", async () => {
    await using it = await place({ allow: "Bash" })
    const rules = it.open()
    expect(rules.verdict(it.bash("ls"))?.decision).toBe("ask")
    await rules.reload()
    expect(rules.verdict(it.bash("ls"))?.decision).toBe("allow")
    expect(rules.restricting()).toEqual([])
  })

  test("[AGENTS-41] a full rules file refuses further rules", async () => {
    await using it = await place()
    await writeFile(it.file, many(500))
    const add = it.open().add({ decision: "deny", tool: "one more" })
    await expect(add).rejects.toMatchObject({ code: "AGENTS_TOO_MANY_RULES" })
    expect(await readFile(it.file, "utf8")).toBe(many(500))
  })

  test("[AGENTS-41] concurrent changes are all stored", async () => {
    await using it = await place()
    const rules = it.open()
    const names = Array.from({ length: 20 }, (_, index) => `tool-${index}`)
    await Promise.all(names.map((tool) => rules.add({ decision: "allow", tool })))
    const listed = await rules.list()
    expect(listed.rules.map((it) => it.tool)).toEqual(names)
    expect(listed.isTrusted).toBe(true)
  })
})

describe("rules of the settings", () => {
  test("[AGENTS-41] rules of the settings are text and cannot be removed from the project file", async () => {
    await using it = await place({
      allow: "Bash(npm test); Edit(src/**) ;Read",
      deny: "Bash(echo a; echo b)",
    })
    const rules = it.open()
    const listed = await rules.list()
    expect(listed.rules.map((one) => ruleOf(one))).toEqual([
      { decision: "deny", tool: "Bash", command: "echo a; echo b" },
      { decision: "allow", tool: "Bash", command: "npm test" },
      { decision: "allow", tool: "Edit", path: "src/**" },
      { decision: "allow", tool: "Read" },
    ])
    const remove = rules.remove(listed.rules[0]?.id ?? "")
    await expect(remove).rejects.toMatchObject({ code: "AGENTS_RULE_IN_SETTINGS" })
    await expect(rules.remove("x")).rejects.toMatchObject({ code: "AGENTS_RULE_UNKNOWN" })
  })

  test.each(["Bash(", "(x)", "Bash)x", "Two words", "Edit(+(a+(b)))"])(
    "[AGENTS-41] the rule text %j is reported as invalid",
    async (text) => {
      await using it = await place({ allow: text })
      const code = "AGENTS_RULES_INVALID"
      await expect(it.open().list()).rejects.toMatchObject({ code })
    },
  )
})

describe('"Always allow"', () => {
  test("[AGENTS-42] it writes a rule that is listed, applies immediately and can be removed", async () => {
    await using it = await place()
    const rules = it.open()
    const listed = await rules.always(it.bash("npm test && echo done"))
    expect(listed.rules).toMatchObject([{ decision: "allow", command: "npm test && echo done" }])
    expect(rules.verdict(it.bash("npm test && echo done"))?.decision).toBe("allow")
    expect(rules.verdict(it.bash("npm test && echo done; rm x"))).toBeUndefined()
    await rules.remove(listed.rules[0]?.id ?? "")
    expect(rules.verdict(it.bash("npm test && echo done"))).toBeUndefined()
  })

  test("[AGENTS-42] a request that no exact rule can match is refused, and nothing is written", async () => {
    await using it = await place()
    const always = it.open().always(it.bash("rm *"))
    await expect(always).rejects.toMatchObject({ code: "AGENTS_RULE_TOO_WIDE" })
    await expect(stat(it.file)).rejects.toMatchObject({ code: "ENOENT" })
  })
})

test("[AGENTS-41] the operations list, add, remove and trust rules; a rule without any field is refused", async () => {
  await using it = await place()
  const rules = it.open()
  const call = operationCaller({
    permissions: permissionsHandlers({ permissions: async () => rules }),
  })
  const added = await call("permissions.add", { decision: "deny", path: "secret/**" })
  const id = added?.rules[0]?.id ?? ""
  expect(await call("permissions.list", {})).toEqual(added)
  expect(await call("permissions.trust", {})).toEqual(added)
  expect((await call("permissions.remove", { id }))?.rules).toEqual([])
  const empty = call("permissions.add", { decision: "allow" })
  await expect(empty).rejects.toMatchObject({ code: "AGENTS_RULE_INVALID" })
})

function ruleOf({ decision, tool, command, path }: ListedRule): object {
  const given = Object.entries({ decision, tool, command, path })
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}

function rule(fields: object): string {
  return JSON.stringify({ version: 1, rules: [{ decision: "deny", ...fields }] })
}

function many(count: number): string {
  const rules = Array.from({ length: count }, (_, index) => ({
    decision: "deny",
    tool: `t${index}`,
  }))
  return JSON.stringify({ version: 1, rules })
}

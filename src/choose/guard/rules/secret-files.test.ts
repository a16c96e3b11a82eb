import { expect, test } from "vitest"
import { createIds, systemRandom } from "#ground/base"
import { hookFixture } from "#test/hook-fixture"
import { createOverrides } from "../overrides.ts"
import { isSecretFile, secretFiles } from "./secret-files.ts"

test("[GUARD-84] files of secrets are known by name, and examples and public keys are not", () => {
  const secret = [".env", ".env.local", "app/prod.env", "a/id_ed25519", "k/server.key", "tls.pem"]
  const more = ["~/.aws/credentials", "/h/.kube/config", "secrets.yaml", "service-account-x.json"]
  expect([...secret, ...more].filter((it) => !isSecretFile(it))).toEqual([])
  const open = [
    ".env.example",
    ".env.sample",
    "id_rsa.pub",
    "cert.pem",
    "ca.pem",
    "env.ts",
    "key.ts",
  ]
  const others = [
    "src/secrets.ts",
    "docs/credentials.md",
    "environment",
    "package.json",
    ".envrc.md",
  ]
  expect([...open, ...others].filter(isSecretFile)).toEqual([])
})

test("[GUARD-84] a read of one is denied with the reason, and an override permits it", async () => {
  await using it = await hookFixture()
  const read = (paths: readonly string[], outside: readonly string[] = []) =>
    secretFiles.judge(it.event("before-tool", { tool: "Read", paths, outside }), it)
  expect(await read(["src/a.ts", ".env.example"])).toEqual({ kind: "silent" })
  const denied = await read([".env"])
  expect(denied).toMatchObject({ kind: "deny", paths: [".env"] })
  expect(denied.kind === "deny" && denied.text).toContain("qm override .env --reason")
  expect(await read([], ["/home/me/.ssh/id_rsa"])).toMatchObject({
    kind: "deny",
    text: expect.stringContaining("qm override . --reason"),
  })
  const overrides = createOverrides({ ...it, ids: createIds({ ...it, random: systemRandom }) })
  await overrides.allow({ paths: [".env"], reason: "fake values", minutes: 5 })
  expect(await read([".env"])).toMatchObject({ kind: "override" })
  expect(await read([".env", ".env.local"])).toMatchObject({ kind: "deny", paths: [".env.local"] })
})

test("[GUARD-84] a shell command that prints one is denied, one that uses it is not", async () => {
  await using it = await hookFixture()
  const run = async (command: string) => {
    const event = it.event("before-tool", { tool: "Bash", paths: [], command })
    return (await secretFiles.judge(event, it)).kind
  }
  const printing = [
    "cat .env",
    "cd app && head -5 .env.local | sort",
    "grep TOKEN .env",
    "sudo cat ~/.aws/credentials",
    'bash -c "cat .env"',
    "while read l; do echo $l; done < .env",
    "wc -l <.env",
    "sed -n 1,5p config/prod.env",
  ]
  for (const command of printing) expect([command, await run(command)]).toEqual([command, "deny"])
  const using = [
    "cut -d= -f1 .env",
    "source .env && npm start",
    "docker run --env-file .env app",
    "grep -q TOKEN .env && echo yes",
    "cat .env.example",
    "ls -la .env",
    "cat <<EOF > notes.md\nsee .env\nEOF",
    "git check-ignore .env",
  ]
  for (const command of using) expect([command, await run(command)]).toEqual([command, "silent"])
})

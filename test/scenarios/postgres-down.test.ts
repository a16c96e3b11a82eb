import { createServer } from "node:net"
import { expect, test } from "vitest"
import { newUser } from "#test/qm"

test("[HTTP-51] with Postgres down `qm up` ends with a coded error, without a stack or the password", async () => {
  await using user = await newUser()
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve))
  const { port } = probe.address() as { port: number }
  await new Promise((resolve) => probe.close(resolve))
  const password = `pw-${process.pid}`
  const env = { QM_DATABASE_URL: `postgres://qm:${password}@127.0.0.1:${port}/qm` }
  const { code, stdout, stderr } = await user.qm(["up", "--port", "0", "--no-open"], { env })
  expect(code).toBe(1)
  expect(stderr).toContain(`The database server 127.0.0.1:${port} did not respond`)
  expect(stderr).toContain("[STORE_UNREACHABLE]")
  expect(stderr + stdout).not.toMatch(/^\s+at /m)
  expect(stderr + stdout).not.toContain(password)
})

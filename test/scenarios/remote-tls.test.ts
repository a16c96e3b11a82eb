import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { describe, expect, test } from "vitest"
import { createServerClient } from "#act/remote"
import { createApp } from "#show/app"
import { serve } from "#show/http"
import { needs } from "#test/needs"
import { tempDirectory } from "#test/temp"

const ID = `rn_${"a".repeat(32)}`
const NEVER = new AbortController().signal

describe.runIf(needs("REMOTE-6", "openssl"))("a server with TLS", () => {
  test("[REMOTE-6] a runner connects over TLS, and not to a certificate that the machine does not trust", {
    timeout: 300_000,
  }, async () => {
    await using temp = await tempDirectory()
    const [key, cert] = [`${temp.path}/key.pem`, `${temp.path}/cert.pem`]
    const names = ["-subj", "/CN=127.0.0.2", "-addext", "subjectAltName=IP:127.0.0.2"]
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    const files = ["-days", "1", "-keyout", key, "-out", cert]
    execFileSync("openssl", ["req", "-x509", "-nodes", ...curve, ...names, ...files], {
      stdio: "ignore",
    })
    const tls = { cert: readFileSync(cert), key: readFileSync(key) }
    const exposed = { host: "127.0.0.2", tls }
    await using app = await createApp({
      directory: temp.path,
      environment: { QM_HOME: `${temp.path}/home` },
      settings: [],
      writeLog: () => {},
    })
    const serving = await serve({ app, port: 0, mayMove: false, exposed })
    await app.call("people.invite", { name: "ada", role: "operator" }, { signal: NEVER })
    const issued = await app.call("people.issue", { name: "ada" }, { signal: NEVER })
    const { token } = issued as { token: string }
    const url = `https://127.0.0.2:${serving.port}`
    const client = createServerClient({ url, token, signal: NEVER })
    const attachment = { id: ID, name: "laptop", repositories: [] }
    const before = getCACertificates("default")
    try {
      await expect(client.attach(attachment)).rejects.toMatchObject({ code: "REMOTE_UNREACHABLE" })
      setDefaultCACertificates([...before, readFileSync(cert, "utf8")])
      expect(await client.attach(attachment)).toMatchObject({ person: "ada", isConnected: true })
    } finally {
      setDefaultCACertificates(before)
      await serving.close()
    }
  })
})

import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { request } from "node:https"
import { describe, expect, test } from "vitest"
import { createApp } from "#show/app"
import { needs } from "#test/needs"
import { readToken } from "#test/server"
import { tempDirectory } from "#test/temp"
import { readExposure } from "./expose.ts"
import { serve } from "./serve.ts"

test.each([undefined, "127.0.0.1", "localhost", "::1"])(
  "[HTTP-10] %s is loopback and needs no further flag",
  async (host) => expect(await readExposure(host === undefined ? {} : { host })).toBeUndefined(),
)

test.each([
  { host: "0.0.0.0" },
  { host: "192.0.2.1", exposeToTheNetwork: true },
  { host: "192.0.2.1", tlsCert: "a.pem", tlsKey: "b.pem" },
  { host: "127.0.0.1.evil.example", exposeToTheNetwork: true, tlsCert: "a.pem" },
])("[HTTP-10] %j is refused: address, flag and TLS are required together", async (input) => {
  await expect(readExposure(input)).rejects.toMatchObject({ code: "HTTP_ADDRESS_DANGEROUS" })
})

test("[HTTP-10] a missing certificate file is named", async () => {
  const input = { host: "192.0.2.1", exposeToTheNetwork: true, tlsCert: "/no/a", tlsKey: "/no/b" }
  await expect(readExposure(input)).rejects.toMatchObject({
    code: "HTTP_TLS_FILE_UNUSABLE",
    message: "The TLS file /no/a is invalid: missing.",
  })
})

/** The cookie for a person's link, over TLS. */
function signIn(at: { port: number; cert: string; link: string }): Promise<string> {
  const body = JSON.stringify({ token: at.link })
  const length = String(Buffer.byteLength(body))
  const headers = { "content-type": "application/json", "content-length": length }
  const address = { host: "127.0.0.2", port: at.port, path: "/api/session", method: "POST" }
  const trust = { ca: readFileSync(at.cert), checkServerIdentity: () => undefined }
  return new Promise((resolve, reject) => {
    const sent = request({ ...address, ...trust, headers }, (it) => {
      it.resume()
      resolve(it.headers["set-cookie"]?.[0] ?? "")
    })
    sent.on("error", reject).end(body)
  })
}

describe.runIf(needs("HTTP-10", "openssl"))("an exposed server", () => {
  test("[HTTP-10][HTTP-38] an exposed server uses TLS only, accepts its own name only, and requires the token", async () => {
    await using temp = await tempDirectory()
    const [key, cert] = [`${temp.path}/key.pem`, `${temp.path}/cert.pem`]
    const subject = ["-days", "1", "-subj", "/CN=127.0.0.2", "-keyout", key, "-out", cert]
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    execFileSync("openssl", ["req", "-x509", "-nodes", ...curve, ...subject], { stdio: "ignore" })
    const flags = { exposeToTheNetwork: true, tlsCert: cert, tlsKey: key }
    // Another loopback address: exposed for the server, but not reachable from outside.
    const exposed = await readExposure({ host: "127.0.0.2", ...flags })
    const home = `${temp.path}/home`
    await using app = await createApp({
      directory: temp.path,
      environment: { QM_HOME: home },
      settings: [],
      writeLog: () => {},
    })
    const serving = await serve({ app, port: 0, mayMove: false, exposed })
    const ask = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const at = { host: "127.0.0.2", port: serving.port, path: "/api/now/show" }
        const sent = request(
          { ...at, ca: readFileSync(cert), headers, checkServerIdentity: () => undefined },
          (it) => {
            it.resume()
            resolve(it.statusCode)
          },
        )
        sent.on("error", reject).end()
      })
    try {
      expect(serving.link()).toMatch(/^https:\/\/127\.0\.0\.2:\d+\/#t=/)
      const bearer = { authorization: `Bearer ${await readToken(home)}` }
      expect(await ask({})).toBe(401)
      expect(await ask(bearer)).toBe(200)
      expect(await ask({ ...bearer, host: `127.0.0.1:${serving.port}` })).toBe(421)
      expect(await ask({ ...bearer, origin: `http://127.0.0.2:${serving.port}` })).toBe(403)
      expect(await ask({ ...bearer, origin: serving.url })).toBe(200)
      const people = await app.people()
      const by = { person: undefined, via: "cli" }
      const { secret } = await people.invite({ name: "ada", role: "viewer", hours: 1 }, by)
      const given = await signIn({ port: serving.port, cert, link: secret })
      expect(given).toMatch(/^qm_session=qms_[\w-]{43}; HttpOnly; SameSite=Strict; .*; Secure$/)
      expect(await ask({ cookie: given.split(";")[0] ?? "" })).toBe(200)
    } finally {
      await serving.close()
    }
  })
})

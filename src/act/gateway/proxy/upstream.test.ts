import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { createServer as createPlain } from "node:http"
import { createServer as createTls } from "node:https"
import { type AddressInfo, connect, type Server, type Socket } from "node:net"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { describe, expect, test } from "vitest"
import { needs } from "#test/needs"
import { tempDirectory } from "#test/temp"
import { ask, newFixture } from "./proxy.fixture.ts"
import { createUpstream, problemOf } from "./upstream.ts"

describe("allowed upstreams", () => {
  test.each([
    "http://provider.example",
    "http://10.0.0.1",
    "http://0.0.0.0",
    "http://127.0.0.1.evil.example",
    "http://[::2]",
    "ftp://provider.example",
    "https://name:pa55@provider.example",
    "https://provider.example/?key=1",
    "https://provider.example/#part",
  ])("[GATE-14] %s is refused when the proxied session is opened", async (url) => {
    const opening = newFixture({ url: new URL(url) })
    await expect(opening).rejects.toMatchObject({ code: "GATEWAY_UPSTREAM_REFUSED" })
    await expect(opening).rejects.not.toMatchObject({ message: expect.stringContaining("pa55") })
  })

  test.each([
    "https://provider.example/v1",
    "http://127.0.0.1:1",
    "http://127.9.9.9",
    "http://localhost:1",
    "http://[::1]:1",
    "https://10.0.0.1",
  ])("[GATE-14] %s is accepted", (url) => {
    const upstream = createUpstream(new URL(url), {})
    expect(upstream.host).toBe(new URL(url).host)
    upstream.close()
  })

  test.each(["socks5://127.0.0.1:9", "http://", "127.0.0.1:3128", "::"])(
    "[GATE-15] HTTPS_PROXY=%s is refused, not bypassed",
    (proxy) => {
      const provider = new URL("https://provider.example")
      for (const name of ["HTTPS_PROXY", "https_proxy"]) {
        expect(() => createUpstream(provider, { [name]: proxy })).toThrow(
          expect.objectContaining({ code: "GATEWAY_PROXY_REFUSED" }),
        )
      }
      createUpstream(new URL("http://127.0.0.1"), { HTTPS_PROXY: proxy }).close()
    },
  )

  test("[GATE-14] the reason for a missing response is reported without the error's own text", () => {
    const told = problemOf(
      Object.assign(new Error("via http://me:pw@proxy"), { code: "EAI_AGAIN" }),
    )
    expect(told).toBe("its host name cannot be resolved (EAI_AGAIN)")
    expect(problemOf(new Error("anything"))).toBe("the request failed (no code)")
  })
})

describe.runIf(needs("GATE-15", "openssl"))("TLS and a proxy", () => {
  test("[GATE-15] HTTPS_PROXY forwards the requests over one tunnel that stays open", async () => {
    await using scene = await newScene()
    await using fixture = await scene.makeFixture({ HTTPS_PROXY: scene.proxyUrl })
    for (let n = 0; n < 3; n++) {
      const said = await ask(fixture.port, { path: `${fixture.base}/v1?n=${n}`, body: "hello" })
      expect(said.body.toString()).toBe(`POST /v1?n=${n} ${scene.name} hello`)
    }
    expect(scene.tunnels).toEqual([`${scene.name}:443`])
    expect(scene.inClear).toEqual([])
  })

  test("[GATE-15] the user name and password are sent to the proxy only", async () => {
    await using scene = await newScene()
    const proxy = scene.proxyUrl.replace("//", "//me:word@")
    await using fixture = await scene.makeFixture({ https_proxy: proxy })
    expect(await ask(fixture.port, { path: `${fixture.base}/v1` })).toMatchObject({ status: 200 })
    expect(scene.credentials).toEqual([`Basic ${Buffer.from("me:word").toString("base64")}`])
    expect(scene.headers.join()).not.toMatch(/proxy/i)
  })

  test("[GATE-15] a proxy that refuses gives 502, and its address is not shown", async () => {
    await using scene = await newScene({ refusesTunnels: true })
    await using fixture = await scene.makeFixture({
      HTTPS_PROXY: scene.proxyUrl.replace("//", "//me:pw@"),
    })
    const said = await ask(fixture.port, { path: `${fixture.base}/v1` })
    expect(said.status).toBe(502)
    expect(said.body.toString()).toMatch(/the proxy did not connect to it \(ERR_PROXY\w*\)/)
    const all = said.body.toString() + fixture.lines.join("\n")
    expect(all).not.toContain(scene.proxyUrl.slice("http://".length))
    expect(all).not.toContain("pw")
  })

  test("[GATE-15] NO_PROXY is honoured, and loopback never uses a proxy", async () => {
    await using scene = await newScene()
    await using free = await scene.makeFixture({
      HTTPS_PROXY: scene.proxyUrl,
      NO_PROXY: scene.name,
    })
    // The name does not resolve, so that a direct connection fails.
    expect(await ask(free.port, { path: `${free.base}/v1` })).toMatchObject({ status: 502 })
    const environment = { HTTP_PROXY: scene.proxyUrl, HTTPS_PROXY: scene.proxyUrl }
    for (const url of [`https://localhost:${scene.tlsPort}`, scene.proxyUrl]) {
      await using own = await newFixture({ url: new URL(url) }, { proxyEnvironment: environment })
      expect(await ask(own.port, { path: `${own.base}/v1` })).toMatchObject({ status: 200 })
    }
    expect(scene.tunnels).toEqual([])
  })

  test("[GATE-8] an untrusted certificate gives 502, and nothing is sent", async () => {
    await using scene = await newScene({ isUntrusted: true })
    await using fixture = await scene.makeFixture({ HTTPS_PROXY: scene.proxyUrl })
    const said = await ask(fixture.port, { path: `${fixture.base}/v1`, body: "hello" })
    expect(said.status).toBe(502)
    expect(said.body.toString()).toMatch(/its certificate or TLS is not accepted/)
    expect(scene.headers).toEqual([])
  })
})

type SceneOptions = { readonly isUntrusted?: boolean; readonly refusesTunnels?: boolean }

/** A provider with TLS under a name that only the proxy can resolve, and that proxy. */
async function newScene({ isUntrusted = false, refusesTunnels = false }: SceneOptions = {}) {
  const name = "provider.invalid"
  const temp = await tempDirectory()
  const [key, cert] = [`${temp.path}/key.pem`, `${temp.path}/cert.pem`]
  const names = ["-addext", `subjectAltName=DNS:${name},DNS:localhost`]
  const subject = ["-days", "1", "-subj", `/CN=${name}`, ...names, "-keyout", key, "-out", cert]
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
  execFileSync("openssl", ["req", "-x509", "-nodes", ...curve, ...subject], { stdio: "ignore" })
  const before = getCACertificates("default")
  if (!isUntrusted) setDefaultCACertificates([...before, readFileSync(cert, "utf8")])

  const headers: string[] = []
  const tls = createTls(
    { key: readFileSync(key), cert: readFileSync(cert) },
    (request, response) => {
      headers.push(...request.rawHeaders)
      const chunks: Buffer[] = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      const { method, url, headers: lines } = request
      request.on("end", () =>
        response.end(`${method} ${url} ${lines.host} ${Buffer.concat(chunks).toString()}`),
      )
    },
  )
  const inClear: string[] = []
  const proxy = createPlain((request, response) => {
    inClear.push(request.url ?? "")
    response.end("clear")
  })
  const [tlsPort, proxyPort] = [await portOf(tls), await portOf(proxy)]
  const tunnels: string[] = []
  const credentials: string[] = []
  const sockets = new Set<Socket>()
  proxy.on("connect", (request, socket: Socket) => {
    if (refusesTunnels) return void socket.end("HTTP/1.1 403 Forbidden\r\n\r\n")
    tunnels.push(request.url ?? "")
    credentials.push(request.headers["proxy-authorization"] ?? "none")
    const inner = connect(tlsPort, "127.0.0.1")
    for (const it of [socket, inner]) sockets.add(it.on("error", () => {}))
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n")
    socket.pipe(inner).pipe(socket)
  })
  return {
    name,
    tlsPort,
    proxyUrl: `http://127.0.0.1:${proxyPort}`,
    tunnels,
    credentials,
    headers,
    inClear,
    makeFixture: (proxyEnvironment: Record<string, string>) =>
      newFixture({ url: new URL(`https://${name}`) }, { proxyEnvironment }),
    async [Symbol.asyncDispose]() {
      setDefaultCACertificates(before)
      for (const socket of sockets) socket.destroy()
      for (const server of [tls, proxy]) {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
      await temp[Symbol.asyncDispose]()
    },
  }
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return (server.address() as AddressInfo).port
}

import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export type NetworkCut = Awaited<ReturnType<typeof networkCut>>

/**
 * A network on 127.0.0.1 between a node and its database. `cut` resets connections and refuses new
 * ones; `freeze` keeps them open and forwards nothing, as a broken route does; `heal` drops what was
 * frozen and forwards again.
 */
export async function networkCut(port: number) {
  let state: "open" | "cut" | "frozen" = "open"
  const pairs = new Set<{ readonly client: Socket; readonly server: Socket }>()
  const drop = (): void => {
    for (const { client, server } of pairs) for (const it of [client, server]) it.destroy()
    pairs.clear()
  }
  const proxy = createServer((client) => {
    client.on("error", () => {})
    if (state === "cut") return void client.destroy()
    const server = connect(port, "127.0.0.1")
    const pair = { client, server }
    pairs.add(pair)
    const end = (): void => {
      client.destroy()
      server.destroy()
      pairs.delete(pair)
    }
    client.on("data", (chunk) => void (state === "open" && server.write(chunk)))
    server.on("data", (chunk) => void (state === "open" && client.write(chunk)))
    for (const it of [client, server]) it.on("error", end).on("close", end)
    return undefined
  })
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
  return {
    port: (proxy.address() as AddressInfo).port,
    cut(): void {
      state = "cut"
      drop()
    },
    freeze(): void {
      state = "frozen"
    },
    heal(): void {
      if (state === "frozen") drop()
      state = "open"
    },
    [Symbol.dispose]() {
      drop()
      proxy.close()
    },
  }
}

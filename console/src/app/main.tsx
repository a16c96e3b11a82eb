import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import "../ui/fonts.css"
import "../ui/tokens.css"
import "../ui/ground.css"
import { hasCode } from "../base/errors.ts"
import { createClient } from "../data/client.ts"
import { browserClock } from "../data/clock.ts"
import { keys } from "../data/keys.ts"
import { createLiveCache } from "../data/live/live-cache.ts"
import { ClientContext } from "../data/queries.tsx"
import { RunLineContext } from "../data/transcript/run-line.ts"
import { enterByLink, Gate } from "./gate.tsx"
import { createLive } from "./live.ts"
import { tabMemory } from "./live-cursor.ts"
import { showRememberedLook } from "./theme/appearance.ts"

showRememberedLook()

const client = createClient({ fetch: (...request) => fetch(...request) })
const queries = new QueryClient({
  defaultOptions: {
    // The live stream reports changes, so refetching on focus would be redundant.
    queries: { staleTime: 60_000, retry: isWorthRetrying, refetchOnWindowFocus: false },
  },
})
const liveCache = createLiveCache({ queries, after: browserClock.after })
const live = createLive({
  clock: browserClock,
  memory: tabMemory,
  onEvents: liveCache.receive,
  onRefetch: liveCache.resync,
  onLost: () => void queries.invalidateQueries({ queryKey: keys.session }),
})

/** Retries a network error once; an error response is final. */
function isWorthRetrying(failures: number, error: Error): boolean {
  return failures < 1 && hasCode(error, "CONSOLE_SERVER_UNREACHABLE")
}

const root = document.getElementById("root")
if (root === null) throw new Error("invariant broken: index.html has #root")
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <ClientContext value={client}>
        <RunLineContext value={live}>
          <Gate entered={enterByLink(client)} live={live} clock={browserClock} />
        </RunLineContext>
      </ClientContext>
    </QueryClientProvider>
  </StrictMode>,
)

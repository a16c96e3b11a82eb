import type { McpServer } from "@modelcontextprotocol/server"
import { mountAsking } from "./suite-client-queries.ts"
import { mountInputs } from "./suite-inputs.ts"
import { mountTexts } from "./suite-texts.ts"
import { mountTools } from "./suite-tools.ts"

export function mountSuite(server: McpServer): void {
  mountTools(server)
  mountInputs(server)
  mountTexts(server)
  mountAsking(server)
}

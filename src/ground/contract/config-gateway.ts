import { z } from "zod"
import { field } from "./config-field.ts"
import { GATEWAY_MODES } from "./gateway.ts"

/** All of it is a person's own: a repository must not decide where requests go or what is kept. */
export const GatewaySettings = z
  .strictObject({
    mode: field(z.enum(GATEWAY_MODES).default("off"), {
      description: "Whether runs go through the gateway when they do not say: off, record or fold",
      env: "QM_GATEWAY",
      personal: true,
    }),
    content: field(z.boolean().default(false), {
      description: "Whether the texts of recorded requests are kept, secrets replaced",
      env: "QM_GATEWAY_CONTENT",
      personal: true,
    }),
    keep: field(z.int().min(100).max(1_000_000).default(20_000), {
      description: "How many recorded requests are kept, the newest",
      env: "QM_GATEWAY_KEEP",
      personal: true,
    }),
  })
  .prefault({})

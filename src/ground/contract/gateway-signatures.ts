import type { z } from "zod"
import {
  GatewayDeleted,
  GatewayDeleteInput,
  GatewayList,
  GatewayListInput,
  GatewayManifest,
  GatewayRequestInput,
  GatewayShow,
  GatewayShowInput,
  GatewayTexts,
  GatewayTextsInput,
} from "./gateway.ts"

/** Of what went over the wire. */
export const GATEWAY_SIGNATURES = {
  "gateway.delete": { input: GatewayDeleteInput, output: GatewayDeleted },
  "gateway.list": { input: GatewayListInput, output: GatewayList },
  "gateway.request": { input: GatewayRequestInput, output: GatewayManifest },
  "gateway.show": { input: GatewayShowInput, output: GatewayShow },
  "gateway.texts": { input: GatewayTextsInput, output: GatewayTexts },
} as const satisfies Record<string, { input: z.ZodType; output: z.ZodType }>

import { hash } from "node:crypto"
import type { JsonRecord } from "#ground/base"
import type { CacheSettings, WireName } from "#ground/contract"
import { jsonOf, listOf, recordOf, textOf } from "./json.ts"

const MINUTE_MS = 60_000

const LIFETIMES_MS: Readonly<Record<string, number>> = {
  "5m": 5 * MINUTE_MS,
  "1h": 60 * MINUTE_MS,
  "24h": 24 * 60 * MINUTE_MS,
}

/** Longer values are compared by their hash. */
const LONGEST_SETTING_UNITS = 80

export const NO_SETTINGS: CacheSettings = {
  effort: null,
  thinking: null,
  toolChoice: null,
  lifetimeMs: null,
  markers: 0,
}

/** The fields of a request that decide how the provider caches it. */
export function cacheSettingsOf(wire: WireName, body: JsonRecord | undefined): CacheSettings {
  if (body === undefined) return NO_SETTINGS
  const reasoning = recordOf(body["reasoning"])
  const lifetimes = wire === "anthropic" ? markersOf(body) : retentionOf(body)
  return {
    effort: settingOf(recordOf(body["output_config"])["effort"] ?? reasoning["effort"]),
    thinking: settingOf(body["thinking"]),
    toolChoice: settingOf(body["tool_choice"]),
    lifetimeMs: lifetimes.length === 0 ? null : Math.max(...lifetimes),
    markers: wire === "anthropic" ? lifetimes.length : 0,
  }
}

function settingOf(value: unknown): string | null {
  if (value === undefined || value === null) return null
  const text = typeof value === "string" ? value : jsonOf(value)
  return text.length <= LONGEST_SETTING_UNITS ? text : hash("sha256", text)
}

function markersOf(body: JsonRecord): readonly number[] {
  const turns = listOf(body["messages"]).map((it) => listOf(recordOf(it)["content"]))
  const blocks = [...listOf(body["tools"]), ...listOf(body["system"]), ...turns.flat()]
  return blocks.flatMap((it) => {
    const marker = recordOf(it)["cache_control"]
    if (marker === undefined || marker === null) return []
    return [LIFETIMES_MS[textOf(recordOf(marker)["ttl"])] ?? 5 * MINUTE_MS]
  })
}

function retentionOf(body: JsonRecord): readonly number[] {
  const lifetime = LIFETIMES_MS[textOf(body["prompt_cache_retention"])]
  return lifetime === undefined ? [] : [lifetime]
}

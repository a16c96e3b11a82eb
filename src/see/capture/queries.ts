import { z } from "zod"
import {
  CaptureSummary,
  CaptureText,
  HostName,
  Manifest,
  Observation,
  StartServer,
  TokenScale,
} from "#ground/contract"
import { jsonColumn, type Sql, sql } from "#ground/store"

/** A row that does not parse is damaged. */

export const SummaryRow = z
  .object({
    id: z.string(),
    host: HostName,
    host_version: z.string().nullable(),
    working_directory: z.string(),
    captured_at: z.int(),
    last_seen_at: z.int(),
    times: z.int(),
    files: z.int(),
    tokens_in_window: z.int(),
    tokens_on_demand: z.int(),
    last_run: z.string().nullable(),
  })
  .transform(
    (row): CaptureSummary => ({
      id: row.id,
      host: row.host,
      ...(row.host_version === null ? {} : { hostVersion: row.host_version }),
      workingDirectory: row.working_directory,
      capturedAt: row.captured_at,
      lastSeenAt: row.last_seen_at,
      times: row.times,
      files: row.files,
      tokensInWindow: row.tokens_in_window,
      tokensOnDemand: row.tokens_on_demand,
      ...(row.last_run === null ? {} : { lastRun: row.last_run }),
    }),
  )

export const FingerprintRow = z.object({ id: z.string(), fingerprint: z.string() })
export const ManifestRow = z.object({ manifest: jsonColumn(Manifest) })
/**
 * Only the fields that counting needs: building the schema of a manifest and parsing a whole one take
 * longer than counting again.
 */
export const CountsRow = z.object({
  manifest: jsonColumn(
    z.object({
      estimator: z.string(),
      scale: z.lazy(() => TokenScale).optional(),
      start: z.object({ servers: z.array(z.lazy(() => StartServer)) }).optional(),
      items: z.array(
        z.object({
          path: z.string(),
          source: z.string(),
          load: z.string(),
          sha256: z.string(),
          sentSha256: z.string().optional(),
          tokens: z.int().nonnegative(),
          tokensOnDemand: z.int().nonnegative(),
        }),
      ),
    }),
  ),
})
export const ObservationRow = z.object({ observation: jsonColumn(Observation).nullable() })
export const TextRow = z.object({ body: jsonColumn(CaptureText) })

const SUMMARY = sql`id, host, host_version, working_directory, captured_at, last_seen_at, times,
  files, tokens_in_window, tokens_on_demand, last_run`

type CaptureFilter = {
  readonly workingDirectory: string | undefined
  readonly host: string | undefined
}

const isWhere = ({ workingDirectory, host }: CaptureFilter): Sql => sql`
  ${workingDirectory === undefined ? sql`1 = 1` : sql`working_directory = ${workingDirectory}`}
  AND ${host === undefined ? sql`1 = 1` : sql`host = ${host}`}`

export const selectSummaries = (where: CaptureFilter, limit: number): Sql => sql`
  SELECT ${SUMMARY} FROM captures WHERE ${isWhere(where)}
  ORDER BY last_seen_at DESC, id DESC LIMIT ${limit}`

export const selectSummary = (id: string): Sql => sql`
  SELECT ${SUMMARY} FROM captures WHERE id = ${id}`

export const selectBefore = (it: CaptureSummary): Sql => sql`
  SELECT ${SUMMARY} FROM captures
  WHERE working_directory = ${it.workingDirectory} AND host = ${it.host}
    AND (captured_at < ${it.capturedAt} OR (captured_at = ${it.capturedAt} AND id < ${it.id}))
  ORDER BY captured_at DESC, id DESC LIMIT 1`

export const selectNewestFingerprint = (where: CaptureFilter): Sql => sql`
  SELECT id, fingerprint FROM captures WHERE ${isWhere(where)}
  ORDER BY captured_at DESC, id DESC LIMIT 1`

export const selectNewestManifest = (where: CaptureFilter): Sql => sql`
  SELECT manifest FROM captures WHERE ${isWhere(where)}
  ORDER BY captured_at DESC, id DESC LIMIT 1`

export const selectManifest = (id: string): Sql => sql`
  SELECT manifest FROM captures WHERE id = ${id}`

export const selectObservation = (id: string): Sql => sql`
  SELECT observation FROM captures WHERE id = ${id}`

export const setObservation = (id: string, observation: Observation): Sql => sql`
  UPDATE captures SET observation = ${JSON.stringify(observation)} WHERE id = ${id}`

export const selectText = (id: string, path: string): Sql => sql`
  SELECT body FROM capture_texts
  WHERE hash = (SELECT hash FROM capture_pages WHERE capture_id = ${id} AND path = ${path})`

export const selectTexts = (id: string): Sql => sql`
  SELECT body FROM capture_texts
  WHERE hash IN (SELECT hash FROM capture_pages WHERE capture_id = ${id})`

export const markSeen = (id: string, at: number): Sql => sql`
  UPDATE captures SET last_seen_at = ${at}, times = times + 1 WHERE id = ${id}`

export const setLastRun = (id: string, run: string): Sql => sql`
  UPDATE captures SET last_run = ${run} WHERE id = ${id}`

export const insertCapture = (manifest: Manifest, fingerprint: string): Sql => sql`
  INSERT INTO captures (id, host, host_version, working_directory, captured_at, last_seen_at,
    times, files, tokens_in_window, tokens_on_demand, fingerprint, manifest)
  VALUES (${manifest.id}, ${manifest.host}, ${manifest.hostVersion ?? null},
    ${manifest.workingDirectory}, ${manifest.capturedAt}, ${manifest.capturedAt}, 1,
    ${manifest.totals.files}, ${manifest.totals.tokensInWindow},
    ${manifest.totals.tokensOnDemand}, ${fingerprint}, ${JSON.stringify(manifest)})`

export const insertText = (hash: string, text: CaptureText): Sql => sql`
  INSERT INTO capture_texts (hash, body) VALUES (${hash}, ${JSON.stringify(text)})
  ON CONFLICT (hash) DO NOTHING`

export const insertPage = (page: { id: string; path: string; hash: string }): Sql => sql`
  INSERT INTO capture_pages (capture_id, path, hash)
  VALUES (${page.id}, ${page.path}, ${page.hash}) ON CONFLICT (capture_id, path) DO NOTHING`

const surplus = (where: CaptureFilter, keep: number): Sql => sql`
  SELECT id FROM captures WHERE ${isWhere(where)}
    AND id NOT IN (SELECT id FROM captures WHERE ${isWhere(where)}
      ORDER BY captured_at DESC, id DESC LIMIT ${keep})`

export const deleteSurplusPages = (where: CaptureFilter, keep: number): Sql => sql`
  DELETE FROM capture_pages WHERE capture_id IN (${surplus(where, keep)})`

export const deleteSurplus = (where: CaptureFilter, keep: number): Sql => sql`
  DELETE FROM captures WHERE id IN (${surplus(where, keep)})`

export const deleteUnusedTexts = (): Sql => sql`
  DELETE FROM capture_texts WHERE hash NOT IN (SELECT hash FROM capture_pages)`

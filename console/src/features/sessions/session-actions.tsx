import { useMutation, useQueryClient } from "@tanstack/react-query"
import { toWireError } from "../../base/errors.ts"
import { formatAge } from "../../base/format.ts"
import type { LiveSession, Run, SessionsShow } from "../../contract.ts"
import { invalidateOperations } from "../../data/keys.ts"
import { navigate } from "../../data/location.ts"
import { paths } from "../../data/paths.ts"
import { shownStatus, usePausedSessions } from "../../data/paused-sessions.ts"
import {
  useClient,
  useIsOwner,
  useOperation,
  useReadOnly,
  useSession,
} from "../../data/queries.tsx"
import { Button, LinkButton } from "../../ui/button/button.tsx"
import { CommandLine } from "../../ui/empty/empty.tsx"
import { Block, Flow, Stack } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useToast } from "../../ui/toast/toast.tsx"
import { type Resume, resumeOf } from "./resume.ts"

type SessionActionsProps = {
  readonly now: number
  readonly id: string
  readonly shown: SessionsShow | undefined
  readonly run: Run | undefined
  readonly live: LiveSession | undefined
}

/** Open, resume and pack. A session that cannot be resumed here says why, with its host's command. */
export function SessionActions({ now, id, shown, run, live }: SessionActionsProps) {
  const resume = useResume({ id, shown, run })
  const paused = usePausedSessions()
  const isAsking = run !== undefined && shownStatus(run, paused) === "waiting"
  const isReadOnly = useReadOnly()
  const href = shown === undefined ? run && paths.run(run.id) : paths.session(id)
  const lastAt = live?.lastAt ?? shown?.session.endedAt ?? 0
  const isRecent = run === undefined && now - lastAt < RECENT_MS
  return (
    <Block>
      <Stack gap="8">
        <Flow wrap>
          {href === undefined ? null : (
            <LinkButton variant="primary" href={href}>
              Open
            </LinkButton>
          )}
          {isAsking && run !== undefined ? (
            <LinkButton href={paths.run(run.id)}>Answer</LinkButton>
          ) : null}
          {resume.way === undefined || resume.way.kind === "elsewhere" ? null : (
            <Button
              keyId="sessions.resume"
              disabled={isReadOnly || resume.isBusy}
              onPress={resume.start}
            >
              {resume.isBusy ? "Importing" : "Resume"}
            </Button>
          )}
          {shown === undefined ? null : (
            <Button variant="ghost" onPress={() => navigate(packOf(shown))}>
              Pack from this session
            </Button>
          )}
        </Flow>
        {resume.way === undefined || isAsking ? null : (
          <ResumeText
            way={resume.way}
            openFor={isRecent ? `It was active ${formatAge(lastAt, now)} ago.` : ""}
          />
        )}
      </Stack>
    </Block>
  )
}

/** A host writes its transcript at each turn, so a session that is open was written recently. */
const RECENT_MS = 10 * 60_000

function ResumeText({ way, openFor }: { readonly way: Resume; readonly openFor: string }) {
  if (way.kind !== "elsewhere") {
    const warning = openFor === "" ? "" : ` ${openFor} End it in its host first.`
    return (
      <Text as="p" size="sm" tone="3">
        {way.consequence}
        {warning}
      </Text>
    )
  }
  return (
    <>
      <Text as="p" size="sm" tone="2">
        Not resumed here: {way.reason}
      </Text>
      {way.command === undefined ? null : <CommandLine command={way.command} />}
    </>
  )
}

function useResume({ id, shown, run }: Pick<SessionActionsProps, "id" | "run" | "shown">) {
  const client = useClient()
  const queries = useQueryClient()
  const toast = useToast()
  const isOwner = useIsOwner()
  const { data: session } = useSession()
  const { data } = useOperation("agents.providers", {})
  const read = useMutation({
    mutationFn: () => client.write("agents.read", { session: id }),
    onSuccess: (imported) => {
      invalidateOperations(queries, ["agents.list", "agents.sessions"])
      navigate(paths.run(imported.id, { compose: true }))
    },
    onError: (error) => toast.fail(toWireError(error)),
  })
  const root = session?.repository.root
  const way =
    data === undefined || root === undefined || !isOwner
      ? undefined
      : resumeOf({ id, session: shown?.session, run, providers: data.providers, root })
  return {
    way,
    isBusy: read.isPending,
    start: () => {
      if (way?.kind === "open") navigate(way.href)
      if (way?.kind === "import") read.mutate()
    },
  }
}

const MOST_PINS = 12

/** A package for the same task with the files that the session edited. */
function packOf({ session, paths: touched }: SessionsShow): string {
  const edited = touched.filter((it) => it.edits > 0 && !/^(?:\/|\.\.\/)/.test(it.path))
  return paths.pack({
    task: session.title,
    pins: edited.slice(0, MOST_PINS).map((it) => it.path),
  })
}
